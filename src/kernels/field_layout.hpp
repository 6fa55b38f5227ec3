// SPDX-License-Identifier: BSD-3-Clause
// Where the elements of a field lie: alignment of rows, and padding against cache-set conflicts.
#pragma once

#include <cstddef>

#include "plait/box.hpp"

namespace plait::detail {

/// Bytes between the elements of a field, all in bytes.
struct FieldLayout {
  std::size_t lead = 0;    ///< from the begin of the field to the first row's cell 0
  std::size_t row = 0;     ///< from row to row; a multiple of the element
  std::size_t plane = 0;   ///< from plane to plane; a multiple of the element
  std::size_t origin = 0;  ///< from the begin of the field to own cell (0, 0, 0)
  std::size_t size = 0;    ///< of the whole field
  std::size_t align = 64;  ///< of the begin: own cell 0 of each row then lies on a cache line,
                           ///< unless elements do not fit lines without waste
};

/// The layout of own cells with ghosts. Rows of neighbouring planes and of the same plane start in
/// different cache sets: on x86 a way of the first level holds 4096 bytes, and wider ways are
/// multiples of it.
FieldLayout field_layout(const Int3& own, int ghost, std::size_t element_bytes);

/// Bytes by which the start of the `number`-th field of a program is moved, so that a field that
/// is read and one that is written do not meet in a set either, which slows sweeps in cache; 0 for
/// fields so small that it would cost more than it gains.
std::size_t field_stagger(const FieldLayout& layout, unsigned number);

}  // namespace plait::detail
