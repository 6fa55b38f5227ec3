// SPDX-License-Identifier: BSD-3-Clause
// Computes the memory layout of a field: aligned rows, and padding against cache-set conflicts.
#pragma once

#include <cstddef>

#include "plait/box.hpp"

namespace plait::detail {

/// Distances between the elements of a field, in bytes.
struct FieldLayout {
  std::size_t lead = 0;    ///< from the start of the field to cell 0 of the first row
  std::size_t row = 0;     ///< from row to row; a multiple of the element size
  std::size_t plane = 0;   ///< from plane to plane; a multiple of the element size
  std::size_t origin = 0;  ///< from the start of the field to own cell (0, 0, 0)
  std::size_t size = 0;    ///< of the whole field
  std::size_t align = 64;  ///< of the start: own cell 0 of each row is then at the start of a
                           ///< cache line, unless elements do not fit lines without waste
};

/// The layout of own cells with ghosts. Rows of the same plane and of neighbouring planes start in
/// different cache sets: on x86 one way of the first level holds 4096 bytes, and wider ways are
/// multiples of that.
/// @param own            own cells along each axis, each >= 1
/// @param ghost          ghost layers on every side, >= 0
/// @param element_bytes  size of one element
FieldLayout field_layout(const Int3& own, int ghost, std::size_t element_bytes);

/// Bytes by which to move the start of the `number`-th field of a program. A field that is read and
/// one that is written then use different cache sets; sharing them slows sweeps in cache. 0 for
/// fields that are so small that moving them would cost more than it gains.
std::size_t field_stagger(const FieldLayout& layout, unsigned number);

}  // namespace plait::detail
