// SPDX-License-Identifier: BSD-3-Clause
// The signal handler that takes a sample. It neither allocates nor locks nor prints.
//
// It blocks no signal but its own: the kernel would pass a signal of the process to another thread,
// which may not expect it. So handlers of the program may interrupt it, and leave it by a jump. It
// may run on a small stack, so what is large is in SampledThread.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "preload/calls/thread.hpp"
#include "preload/openmp/team.hpp"
#include "preload/recorder.hpp"
#include "preload/regions/regions.hpp"
#include "preload/sampling/clocks.hpp"
#include "preload/sampling/sample_file.hpp"
#include "preload/sampling/sampled_thread.hpp"

namespace plait::preload::sampling {

__thread SampledThread* sampled __attribute__((tls_model("initial-exec")));
uint32_t most_per_signal = 1;
SampleClock sample_clock_kind = SampleClock::cpu;
bool keeps_times;

namespace {

constexpr uint32_t kMostWalked = 8192;  // frames, of which repeated ones are kept once

Registers registers_of(const ucontext_t& context) {
  Registers registers{};
#if defined(__x86_64__)
  constexpr int kOrder[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                            REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                            REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  for (unsigned i = 0; i < Registers::kCount; ++i)
    registers.set(i, static_cast<uint64_t>(context.uc_mcontext.gregs[kOrder[i]]));
#elif defined(__aarch64__)
  registers.set(Registers::kFramePointer, context.uc_mcontext.regs[29]);
  registers.set(Registers::kStack, context.uc_mcontext.sp);
  registers.set(Registers::kReturn, context.uc_mcontext.pc);
#endif
  return registers;
}

Step step(Memory& memory, Registers& registers, bool* exact, [[maybe_unused]] StackTable& table) {
#if defined(__x86_64__)
  const Registers before = registers;
  const Step by_cfi = unwind_by_cfi(memory, registers, exact, table.scratch, table.quick);
  if (by_cfi != Step::unknown) return by_cfi;
  registers = before;
#endif
  return unwind_by_frame_pointer(memory, registers, exact);
}

/// Adds the frames of a stack to table.frames, innermost first. False: the outer ones are not
/// known. Of direct recursion one frame is kept.
/// @param exact  the first address is the next instruction, and not a return address
bool walk(Registers registers, bool exact, Memory memory, SampledThread& thread, uint32_t* depth) {
  uint64_t last = 0;
  for (uint32_t walked = 0; walked < kMostWalked; ++walked) {
    const uint64_t pc = registers.value[Registers::kReturn];
    if (pc == 0) return true;
    const uint64_t frame = pc | (exact ? PLAIT_EXACT_ADDRESS : 0);
    if (frame != last) {
      if (*depth == kMostFrames) return false;
      thread.table.frames[(*depth)++] = frame;
      last = frame;
    }
    switch (step(memory, registers, &exact, thread.table)) {
      case Step::done:
        break;
      case Step::end:
        return true;
      case Step::unknown:
        return false;
    }
  }
  return false;
}

/// The frames of the interrupted code.
bool walk_own(const ucontext_t& context, SampledThread& thread, uint32_t* depth) {
  const Registers registers = registers_of(context);
  const uint64_t stack = registers.value[Registers::kStack];
  const bool own = stack >= thread.stack_low && stack < thread.stack_high;
  return walk(registers, true, Memory(own ? stack : 0, own ? thread.stack_high : 0), thread, depth);
}

/// Adds the frames of the threads that started the OpenMP regions that this one executes, outside
/// of its own. While it does so, they are in the runtime, and their frames do not change. In Python
/// they are left to the reader: another thread's lines are not read.
void walk_starters(SampledThread& thread, uint32_t* depth) {
  const openmp::Team* const first = openmp::joined_region();
  if (!first || python_image()) return;
  const uint32_t generation = __atomic_load_n(&first->generation, __ATOMIC_ACQUIRE);
  const uint32_t own = *depth;
  bool known = true;
  for (const openmp::Team* team = first; team && known; team = openmp::joined_by_starter(*team)) {
    Memory memory(0, 0);
    const uintptr_t frame = team->start_frame;
    uint64_t pointer = 0, back = 0;
    known = frame != 0 && memory.read(frame, &pointer) && memory.read(frame + sizeof back, &back);
    Registers registers{};
    registers.set(Registers::kFramePointer, pointer);
    registers.set(Registers::kStack, frame + 2 * sizeof back);
    registers.set(Registers::kReturn, back);
    known = known && walk(registers, false, memory, thread, depth);
  }
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (!known || __atomic_load_n(&first->generation, __ATOMIC_RELAXED) != generation) *depth = own;
}

/// Puts the lines of Python in place of the interpreter's frames: each execution of its loop stands
/// for the lines up to one that C called. If the walk ended before the interpreter, as in assembly
/// code without call frame information, all lines are outside of what is known.
uint32_t with_python(SampledThread& thread, uint32_t depth, bool complete) {
  const void* const image = python_image();
  if (!image) return depth;
  Object object;
  uint64_t* const frames = thread.table.frames;
  uint32_t first = 0;
  uintptr_t low = 0, high = 0;
  for (; first < depth; ++first) {
    const uint64_t pc = frames[first] & ~PLAIT_EXACT_ADDRESS;
    if (find_object(pc, &object) && object.start == reinterpret_cast<uintptr_t>(image)) {
      low = object.start;
      high = object.end;
      break;
    }
  }
  if (!high && complete) return depth;
  constexpr uint32_t kLines = sizeof thread.lines / sizeof *thread.lines;
  const uint32_t lines = python_lines(thread.lines, kLines);
  if (!lines) return depth;
  uint64_t* const native = thread.native;
  const uint32_t natives = depth - first;
  memcpy(native, frames + first, natives * sizeof *native);
  uint32_t out = first, line = 0;
  const auto emit_lines = [&](bool all) {
    for (bool ended = false; line < lines && (all || !ended) && out < kMostFrames; ++line) {
      const uint32_t entry = line_entry(&thread.table, thread.lines[line]);
      if (entry) frames[out++] = PLAIT_PYTHON_FRAME | entry;
      // A frame without a name is the one between Python and C.
      ended = thread.lines[line].from_c || !entry;
    }
  };
  uint32_t loops = 0;
  for (uint32_t i = 0; i < natives; ++i)
    loops += executes_python((native[i] & ~PLAIT_EXACT_ADDRESS) - 1);
  if (!loops) emit_lines(true);
  for (uint32_t i = 0; i < natives && out < kMostFrames; ++i) {
    const uint64_t pc = native[i] & ~PLAIT_EXACT_ADDRESS;
    if (pc < low || pc >= high) {
      frames[out++] = native[i];
    } else if (executes_python(pc - 1)) {
      emit_lines(--loops == 0);
    }
  }
  return out;
}

uint32_t state_of() {
  if (self && self->depth) return PLAIT_SAMPLE_MPI;
  const openmp::ThreadState& omp = openmp::thread_state;
  return omp.entry && omp.entry->idle_since ? PLAIT_SAMPLE_IDLE : PLAIT_SAMPLE_CODE;
}

/// Did the thread wait for a CPU for most of the time of its latest samples? By raw system calls:
/// those of the C library are points at which a thread may be cancelled.
bool waited_for_cpu(SampledThread& thread, uint32_t samples) {
  char text[96];
  const long file =
      syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const long length = syscall(SYS_read, file, text, sizeof text - 1);
  syscall(SYS_close, file);
  if (length <= 0) return false;
  text[length] = '\0';
  const char* at = text;
  while (*at && *at != ' ') ++at;
  uint64_t waited_ns = 0;
  for (++at; *at >= '0' && *at <= '9'; ++at)
    waited_ns = waited_ns * 10 + static_cast<uint64_t>(*at - '0');
  const uint64_t before = thread.waited_ns;
  thread.waited_ns = waited_ns;
  return waited_ns > before &&
         static_cast<double>(waited_ns - before) * file_header->rate_hz > 0.5e9 * samples;
}

/// The periods of perf's clock since the latest sample: it stands still until the signal is
/// handled, which takes longer in a system call, and if the thread blocks the signal.
uint32_t periods_of_perf(SampledThread& thread) {
  const uint64_t now = cpu_ns_now();
  const uint64_t before = thread.sampled_cpu_ns ? thread.sampled_cpu_ns : thread.cpu_ns_before;
  thread.sampled_cpu_ns = now;
  const double periods = static_cast<double>(now - before) * 1e-9 * file_header->rate_hz + 0.5;
  if (periods < 2) return 1;
  return periods < UINT32_MAX ? static_cast<uint32_t>(periods) : UINT32_MAX;
}

/// The thread whose timer sent the signal; null: none did.
SampledThread* thread_of(const siginfo_t& info) {
  if (info.si_code == SI_TIMER) {
    if (sampled) return sampled;
    auto* own = static_cast<SampledThread*>(info.si_value.sival_ptr);
    return own && own->tid == syscall(SYS_gettid) ? own : nullptr;
  }
  if (sample_clock_kind != SampleClock::perf) return nullptr;
  SampledThread* own = sampled ? sampled : find_thread(static_cast<int32_t>(syscall(SYS_gettid)));
  return own && is_of_perf(own->timer, info) ? own : nullptr;
}

/// The signal came from another process or from the program, which does not handle it: the default
/// applies, which ends the process.
void end_by(int signal) {
  struct {
    void* handler;
    unsigned long flags;
    void* restorer;
    uint64_t mask;
  } standard = {};
  syscall(SYS_rt_sigaction, signal, &standard, nullptr, sizeof standard.mask);
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
}

struct Sample {
  SampledThread* thread;
  uint32_t expiries;
  const ucontext_t* context;
};

void take(const Sample& sample) {
  const uint64_t begin = now_ticks();
  SampledThread& thread = *sample.thread;
  plait_sampled_thread& entry = *thread.entry;
  ++entry.handled;
  const uint32_t samples = sample.expiries < most_per_signal ? sample.expiries : most_per_signal;
  entry.lost += sample.expiries - samples;
  uint32_t depth = 0;
  const bool complete = walk_own(*sample.context, thread, &depth);
  if (complete) walk_starters(thread, &depth);
  depth = with_python(thread, depth, complete);
  uint32_t node = complete ? 0 : PLAIT_NODE_TRUNCATED;
  bool fits = depth > 0;
  for (uint32_t i = depth; i > 0 && fits; --i) {
    node = child_node(&thread.table, node, thread.table.frames[i - 1]);
    fits = node != 0;
  }
  const openmp::ThreadState& omp = openmp::thread_state;
  if (omp.entry) entry.omp_thread = omp.entry->index;
  uint32_t state = state_of();
  if (sample_clock_kind == SampleClock::wall && waited_for_cpu(thread, samples))
    state = PLAIT_SAMPLE_WAITING;
  entry.cpu_ns = cpu_ns_now() - thread.cpu_ns_before;
  uint32_t index = 0;
  plait_sample_count* count =
      fits ? counter(&thread.table, node, thread.index, open_region(), state, &index) : nullptr;
  if (count) {
    count->samples += samples;
    count->last_ticks = begin;
    if (keeps_times) add_time(&thread.table, begin, index, samples);
    entry.samples += samples;
    if (!complete) entry.truncated += samples;
  } else {
    entry.lost += samples;
  }
  entry.last_ticks = now_ticks();
  entry.spent_ticks += entry.last_ticks - begin;
}

}  // namespace

void on_sample(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  SampledThread* const thread = thread_of(*info);
  if (thread && !sampled) sampled = thread;
  // Signals of a timer that was stopped since are dropped; codes above zero are the kernel's.
  const bool by_timer = info->si_code == SI_TIMER;
  if (!thread && !by_timer && info->si_code <= 0) {
    end_by(signal);
  } else if (thread && !__atomic_load_n(&paused, __ATOMIC_RELAXED)) {
    const uint32_t expiries =
        by_timer ? 1 + static_cast<uint32_t>(info->si_overrun) : periods_of_perf(*thread);
    take({thread, expiries, static_cast<const ucontext_t*>(context)});
  } else if (thread) {
    thread->sampled_cpu_ns = cpu_ns_now();
  }
  if (thread) continue_timer(thread->timer);
  errno = error;
}

}  // namespace plait::preload::sampling
