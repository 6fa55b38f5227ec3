// SPDX-License-Identifier: BSD-3-Clause
// Allocates the memory of a field: page sizes, and first touch by the threads that will update it.
#include "plait/field.hpp"

#include <omp.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "kernels/field_layout.hpp"
#include "plait/error.hpp"

namespace plait::detail {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;
constexpr std::size_t page_bytes = 4096;
// Fields of at least this size get fresh, untouched pages from the system: memory that the heap
// reuses stays where its former owner touched it. Smaller fields have too few pages to place.
constexpr std::size_t mapped_from = std::size_t{1} << 20U;

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Fresh zeroed pages that start at a multiple of `alignment`; nullptr when there is no memory.
void* map_pages(std::size_t bytes, std::size_t alignment) {
  const std::size_t reserved = bytes + alignment;
  void* begin = mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin == MAP_FAILED) return nullptr;
  auto* const all = static_cast<std::byte*>(begin);
  const std::size_t before =
      round_up(reinterpret_cast<std::uintptr_t>(begin), alignment) -  // NOLINT
      reinterpret_cast<std::uintptr_t>(begin);                        // NOLINT
  if (before > 0) munmap(all, before);
  if (reserved > before + bytes) munmap(all + before + bytes, reserved - before - bytes);
  return all + before;
}

/// True when the threads of a team run in several NUMA domains.
bool several_domains() {
  unsigned lowest = std::numeric_limits<unsigned>::max();
  unsigned highest = 0;
#pragma omp parallel reduction(min : lowest) reduction(max : highest)
  {
    unsigned cpu = 0;
    unsigned node = 0;
    getcpu(&cpu, &node);
    lowest = node;
    highest = node;
  }
  return lowest != highest;
}

/// True when a field is large enough for huge pages. They relieve the TLB, but each is placed as a
/// whole: with several NUMA domains, every thread must have a few of its own.
bool huge_pages_pay(std::size_t bytes) {
  constexpr std::size_t enough = 2 * huge_page_bytes;
  if (bytes < enough) return false;
  return bytes / enough >= static_cast<std::size_t>(omp_get_max_threads()) || !several_domains();
}

/// Zeroes the field: every thread zeroes the rows that it will update and the ghosts next to them.
/// Rows, counted along y, then z, are divided evenly.
void first_touch(std::byte* field, const FieldLayout& layout, const Int3& own) {
  const std::int64_t rows = std::int64_t{own[1]} * own[2];
  std::byte* const origin = field + layout.origin;
#pragma omp parallel if (layout.size >= mapped_from)
  {
    const std::int64_t threads = omp_get_num_threads();
    const auto begin_of = [&](std::int64_t thread) {
      if (thread == 0) return field;
      if (thread == threads) return field + layout.size;
      const std::int64_t row = rows * thread / threads;
      return origin + static_cast<std::size_t>(row / own[1]) * layout.plane +
             static_cast<std::size_t>(row % own[1]) * layout.row;
    };
    std::byte* const begin = begin_of(omp_get_thread_num());
    std::byte* const end = begin_of(omp_get_thread_num() + 1);
    std::memset(begin, 0, static_cast<std::size_t>(end - begin));
  }
}

}  // namespace

void FieldMemory::Free::operator()(void* begin) const {
  if (mapped) {
    munmap(begin, bytes);
  } else {
    std::free(begin);
  }
}

FieldMemory allocate_field(const Int3& own, int ghost, std::size_t element_bytes, Pages pages) {
  const std::string shape = std::to_string(own[0]) + "x" + std::to_string(own[1]) + "x" +
                            std::to_string(own[2]) + " cells with " + std::to_string(ghost) +
                            " ghost layers";
  if (own[0] < 1 || own[1] < 1 || own[2] < 1 || ghost < 0) {
    throw Error(
        shape,
        "a field needs at least one cell along each axis, and its ghost layers cannot be negative",
        "use fewer ranks or a larger grid");
  }
  // Floating point, because extents from a damaged input may overflow any integer.
  double wanted = static_cast<double>(element_bytes);
  for (const int extent : own) wanted *= extent + 2.0 * ghost;
  const auto no_memory = [&] {
    std::array<char, 400> megabytes{};
    std::snprintf(megabytes.data(), megabytes.size(), "%.0f", wanted / 1e6);
    return Error(shape, "no memory for " + std::string(megabytes.data()) + " MB",
                 "use more ranks or a smaller grid");
  };
  if (wanted > 1e15) throw no_memory();

  static std::atomic<unsigned> fields{0};
  const FieldLayout layout = field_layout(own, ghost, element_bytes);
  const std::size_t stagger = field_stagger(layout, fields++);
  const std::size_t bytes = round_up(layout.size + stagger, 64);
  const bool mapped = bytes >= mapped_from;
  const bool huge =
      mapped && (pages == Pages::huge || (pages == Pages::automatic && huge_pages_pay(bytes)));
  void* memory = mapped
                     ? map_pages(round_up(bytes, page_bytes), huge ? huge_page_bytes : page_bytes)
                     : std::aligned_alloc(layout.align, round_up(bytes, layout.align));
  if (memory == nullptr) throw no_memory();
  const std::size_t held = round_up(bytes, mapped ? page_bytes : layout.align);
  FieldMemory field{{memory, {held, mapped}}, {}};
  // The remainder that does not fill a huge page gets normal pages, so no memory is wasted.
  if (huge) madvise(memory, held / huge_page_bytes * huge_page_bytes, MADV_HUGEPAGE);
  if (mapped && pages == Pages::normal) madvise(memory, held, MADV_NOHUGEPAGE);

  const auto elements = [&](std::size_t distance) {
    return static_cast<std::ptrdiff_t>(distance / element_bytes);
  };
  std::byte* const begin = static_cast<std::byte*>(memory) + stagger;
  field.view = {begin + layout.origin, element_bytes,         own, ghost,
                elements(layout.row),  elements(layout.plane)};
  first_touch(begin, layout, own);
  return field;
}

}  // namespace plait::detail
