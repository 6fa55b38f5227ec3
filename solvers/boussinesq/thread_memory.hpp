// SPDX-License-Identifier: BSD-3-Clause
// Work memory that belongs to a thread: allocated and first touched by it, then kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace plait::boussinesq {

/// What memory is for; uses overlap in time.
enum ThreadUse { line_use, kernel_use, plane_use, column_use };

inline std::atomic<std::int64_t> thread_memory_total{0};

/// Memory for `count` elements. Each `use` has memory of its own; a later call for the same use
/// gives the same memory, or more.
template <class Element, ThreadUse use>
Element* thread_memory(std::size_t count) {
  thread_local std::vector<Element> memory;
  if (memory.size() < count) {
    thread_memory_total += static_cast<std::int64_t>((count - memory.size()) * sizeof(Element));
    memory.resize(count);
  }
  return memory.data();
}

}  // namespace plait::boussinesq
