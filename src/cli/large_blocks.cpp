// SPDX-License-Identifier: BSD-3-Clause
// operator new and delete of the command plait: large blocks beyond a limit of memory go to a file.
// They are replaced for the whole program, because traces are analysed in containers of many types.
#include "cli/large_blocks.hpp"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#include "base/available_memory.hpp"
#include "base/file_memory.hpp"
#include "base/quantity.hpp"
#include "plait/error.hpp"

namespace {

constexpr std::size_t kLarge = std::size_t{64} << 10;    // a smaller block stays in the heap
constexpr std::size_t kAlways = std::size_t{256} << 20;  // so much of large blocks does as well
constexpr std::size_t kLeastLimit = std::size_t{64} << 20;

std::atomic<std::size_t> limit = 0;              // of the process; 0: not known yet
std::atomic<std::size_t> sharing = 1;            // processes of this node with the same default
std::atomic<std::size_t> heap_limit = 0;         // of large blocks in the heap
std::atomic<std::size_t> in_heap = 0;            // large blocks, bytes
std::atomic<plait::FileMemory*> file = nullptr;  // nullptr: none was needed yet

/// Part of the memory has to be left for the pages of the file that are in use.
void set_limit(std::size_t bytes) {
  constexpr std::size_t pages = std::size_t{2} << 30;
  heap_limit = std::max(bytes / 16, bytes > pages ? (bytes - pages) / 5 * 4 : 0);
  limit = bytes;
}

std::string folder() {
  const char* given = std::getenv("TMPDIR");
  return given != nullptr && *given != '\0' ? given : "/var/tmp";
}

void warn(const std::string& why) {
  std::fprintf(
      stderr,
      "plait: warning: the memory limit is exceeded, because no temporary file can be used "
      "(%s)\n",
      why.c_str());
}

/// @returns nullptr when there can be none
plait::FileMemory* open_file() {
  // It is never destroyed: blocks may be released after main().
  static plait::FileMemory* const opened = []() -> plait::FileMemory* {
    try {
      return new plait::FileMemory(folder(), limit);
    } catch (const std::exception& error) {
      warn(error.what());
      return nullptr;
    }
  }();
  file = opened;
  return opened;
}

/// A block in the file if the heap has its share; otherwise nullptr.
[[maybe_unused]] void* allocate_in_file(std::size_t size) {
  const std::size_t now = in_heap + size;
  if (now <= (limit == 0 ? kAlways : heap_limit.load())) return nullptr;
  if (limit == 0) {
    set_limit(std::max(kLeastLimit, in_heap + plait::available_memory() / 4 * 3 / sharing));
    if (now <= heap_limit) return nullptr;
  }
  plait::FileMemory* memory = open_file();
  if (memory == nullptr) return nullptr;
  void* block = memory->allocate(size);
  if (block == nullptr) {
    static std::atomic_flag warned;
    if (!warned.test_and_set()) warn(folder() + " is full");
  }
  return block;
}

}  // namespace

// Sanitizers have their own, and find blocks that are released in another way.
#ifndef PLAIT_SANITIZED

void* operator new(std::size_t size) {
  if (size >= kLarge) {
    if (void* block = allocate_in_file(size)) return block;
  }
  void* block = std::malloc(std::max<std::size_t>(size, 1));
  if (block == nullptr) throw std::bad_alloc();
  const std::size_t usable = ::malloc_usable_size(block);
  if (usable >= kLarge) in_heap += usable;
  return block;
}

void operator delete(void* block) noexcept {
  plait::FileMemory* memory = file;
  if (memory != nullptr && memory->contains(block)) return memory->release(block);
  const std::size_t usable = ::malloc_usable_size(block);
  if (usable >= kLarge) in_heap -= usable;
  std::free(block);
}

void operator delete(void* block, std::size_t /*size*/) noexcept {
  operator delete(block);
}

#endif

namespace plait::cli {

void limit_memory(std::uint64_t bytes, int processes) {
  sharing = static_cast<std::size_t>(std::max(1, processes));
  if (bytes > 0) set_limit(bytes);
}

void add_memory_limit(Command& command, std::string& text) {
  command
      .option("--memory-limit", "SIZE", text,
              "Use about this much memory, and keep the rest of the trace in a temporary file")
      .defaults_to("3/4 of the free memory");
}

std::uint64_t parse_memory_limit(const std::string& text) {
  if (text.empty()) return 0;
  const double bytes = parse_bytes(text);
  if (bytes < static_cast<double>(kLeastLimit)) {
    throw Error(text, "too little memory", "give 64 MiB or more");
  }
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace plait::cli
