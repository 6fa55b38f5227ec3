// SPDX-License-Identifier: BSD-3-Clause
// Unwinds this program and compares with the compiler's own unwinder; damaged stacks and unmapped
// memory must do no harm.
#include "preload/sampling/cfi.hpp"

#include <execinfo.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace plait::preload::sampling {
namespace {

std::vector<std::uint64_t> by_cfi, by_compiler;
std::uintptr_t stack_low, stack_high;
volatile int sink;

void find_stack() {
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t bytes = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  stack_low = reinterpret_cast<std::uintptr_t>(low);
  stack_high = stack_low + bytes;
}

Registers registers_of(const ucontext_t& context) {
  constexpr int kOrder[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                            REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                            REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  Registers registers{};
  for (unsigned i = 0; i < Registers::kCount; ++i)
    registers.set(i, static_cast<std::uint64_t>(context.uc_mcontext.gregs[kOrder[i]]));
  return registers;
}

std::vector<std::uint64_t> unwind(Registers registers, Memory memory, bool* complete) {
  static CfiScratch scratch;
  static QuickRow quick[kQuickRows];
  std::vector<std::uint64_t> found;
  bool exact = true;
  for (*complete = false; found.size() < 1000;) {
    found.push_back(registers.value[Registers::kReturn]);
    const Step step = unwind_by_cfi(memory, registers, &exact, scratch, quick);
    if (step == Step::done) continue;
    *complete = step == Step::end;
    break;
  }
  return found;
}

void on_signal(int, siginfo_t*, void* data) {
  const Registers registers = registers_of(*static_cast<ucontext_t*>(data));
  bool complete = false;
  by_cfi = unwind(registers, Memory(registers.value[Registers::kStack], stack_high), &complete);
  EXPECT_TRUE(complete);
  void* frames[200];
  const int count = backtrace(frames, 200);
  by_compiler.clear();
  for (int i = 0; i < count; ++i) by_compiler.push_back(reinterpret_cast<std::uint64_t>(frames[i]));
}

class Cfi : public ::testing::Test {
protected:
  void SetUp() override {
    learn_objects();
    find_stack();
    void* frame[1];
    backtrace(frame, 1);  // loads the compiler's unwinder
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR1, &action, nullptr);
    by_cfi.clear();
  }

  /// The compiler's frames are those of the handler, and behind them the same.
  static void expect_same() {
    ASSERT_GT(by_cfi.size(), 3u);
    const auto common = std::find(by_compiler.begin(), by_compiler.end(), by_cfi.front());
    ASSERT_NE(common, by_compiler.end());
    const std::vector<std::uint64_t> rest(common, by_compiler.end());
    EXPECT_EQ(by_cfi, rest);
  }
};

/// A frame whose size the compiler does not know, so that it needs a frame pointer.
__attribute__((noinline)) void with_array(int count) {
  auto* array = static_cast<volatile char*>(__builtin_alloca(static_cast<std::size_t>(count)));
  array[0] = 1;
  raise(SIGUSR1);
  sink = array[0];
}

/// A frame that is aligned more than the stack: its address is an expression.
__attribute__((noinline)) void aligned(int count) {
  alignas(256) volatile char array[256];
  array[0] = static_cast<char>(count);
  with_array(count);
  sink = array[0];
}

TEST_F(Cfi, agrees_with_the_compilers) {
  raise(SIGUSR1);
  expect_same();
  with_array(1000);
  expect_same();
  aligned(300);
  expect_same();
  std::vector<int> numbers{3, 1, 2};
  std::sort(numbers.begin(), numbers.end(), [](int a, int b) {
    raise(SIGUSR1);
    return a < b;
  });
  expect_same();
  expect_same();
}

void nested(int) {
  raise(SIGUSR1);
}

TEST_F(Cfi, through_a_signal_handler) {
  signal(SIGUSR2, nested);
  raise(SIGUSR2);
  expect_same();
}

TEST_F(Cfi, a_damaged_stack_ends_the_walk) {
  ucontext_t context{};
  getcontext(&context);
  std::vector<std::uint64_t> filled(512, 0x4141414141414141u);
  for (const std::uint64_t word :
       {std::uint64_t{0x4141414141414141u}, std::uint64_t{8},
        reinterpret_cast<std::uint64_t>(&nested) + 1, ~std::uint64_t{0}}) {
    std::fill(filled.begin(), filled.end(), word);
    Registers registers = registers_of(context);
    registers.set(Registers::kStack, reinterpret_cast<std::uint64_t>(filled.data()));
    registers.set(Registers::kFramePointer, word);
    bool complete = false;
    const auto low = reinterpret_cast<std::uintptr_t>(filled.data());
    const auto found =
        unwind(registers, Memory(low, low + filled.size() * sizeof filled[0]), &complete);
    EXPECT_GE(found.size(), 1u);
    bool exact = true;
    Memory memory(low, low + filled.size() * sizeof filled[0]);
    unwind_by_frame_pointer(memory, registers, &exact);
  }
}

TEST_F(Cfi, unmapped_memory_is_not_read) {
  void* page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Memory memory(0, 0);
  std::uint64_t word = 0, known = 42;
  EXPECT_FALSE(memory.read(reinterpret_cast<std::uintptr_t>(page), &word));
  EXPECT_FALSE(memory.read(0, &word));
  EXPECT_FALSE(memory.read(~std::uintptr_t{0}, &word));
  EXPECT_TRUE(memory.read(reinterpret_cast<std::uintptr_t>(&known), &word));
  EXPECT_EQ(word, 42u);
  munmap(page, 4096);
}

}  // namespace
}  // namespace plait::preload::sampling
