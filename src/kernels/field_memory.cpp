// SPDX-License-Identifier: BSD-3-Clause
// The memory of a field: layout, pages, and first touch by the threads that will update it.
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "plait/error.hpp"
#include "plait/field.hpp"

namespace plait::detail {
namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

void FieldMemory::Free::operator()(void* memory) const {
  std::free(memory);
}

FieldMemory allocate_field(const Int3& own, int ghost, std::size_t element_bytes, Pages pages) {
  const std::string shape = std::to_string(own[0]) + "x" + std::to_string(own[1]) + "x" +
                            std::to_string(own[2]) + " cells with " + std::to_string(ghost) +
                            " ghost layers";
  if (own[0] < 1 || own[1] < 1 || own[2] < 1 || ghost < 0) {
    throw Error(shape, "a field needs at least one cell on each axis and no negative ghosts",
                "use fewer ranks or a larger grid");
  }
  const auto layers = static_cast<std::size_t>(ghost);
  // Own cell 0 of a row starts a cache line: `lead` holds the ghosts before it.
  const std::size_t lead = round_up(layers * element_bytes, line_bytes);
  std::size_t row =
      round_up(lead + (static_cast<std::size_t>(own[0]) + layers) * element_bytes, line_bytes);
  // Elements whose size does not divide a line cannot keep that; rows then need whole elements.
  while (row % element_bytes != 0) row += line_bytes;
  if (row % 4096 == 0) row += line_bytes;
  const std::size_t rows = static_cast<std::size_t>(own[1]) + 2 * layers;
  const std::size_t planes = static_cast<std::size_t>(own[2]) + 2 * layers;
  const std::size_t bytes = round_up(row * rows * planes + line_bytes, huge_page_bytes / 512);

  const bool huge =
      pages == Pages::huge || (pages == Pages::automatic && bytes >= 4 * huge_page_bytes);
  const std::size_t alignment = huge ? huge_page_bytes : 4096;
  void* memory = std::aligned_alloc(alignment, round_up(bytes, alignment));
  if (memory == nullptr) {
    throw Error(shape, "no memory for " + std::to_string(bytes >> 20U) + " MiB",
                "use more ranks or a smaller grid");
  }
  if (huge) madvise(memory, bytes, MADV_HUGEPAGE);
  FieldMemory field{{memory, {bytes}}, {}};
  field.view.element_bytes = element_bytes;
  field.view.own = own;
  field.view.ghost = ghost;
  field.view.stride_y = static_cast<std::ptrdiff_t>(row / element_bytes);
  field.view.stride_z = static_cast<std::ptrdiff_t>(row / element_bytes * rows);
  field.view.origin = static_cast<std::byte*>(memory) + lead + layers * row + layers * row * rows;
  // First touch: z is cut among the threads as the schedules cut it.
  auto* first = static_cast<std::byte*>(memory);
#pragma omp parallel for schedule(static)
  for (std::size_t plane = 0; plane < planes; ++plane) {
    std::memset(first + plane * row * rows, 0, row * rows);
  }
  return field;
}

}  // namespace plait::detail
