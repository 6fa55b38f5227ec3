// SPDX-License-Identifier: BSD-3-Clause
// One way of exchanging ghosts, its fields, and the expected value of each ghost.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "plait/cartesian_grid.hpp"
#include "plait/field.hpp"
#include "plait/halo.hpp"

namespace halo_test {

using plait::Box;
using plait::Int3;
using plait::Side;

/// The type of a field's elements.
enum class Element { single, full, vector, mixed };

struct Case {
  plait::Halo::Options options;
  int ghost = 1;
  int fields = 1;
  Element element = Element::full;

  [[nodiscard]] int width() const { return options.width == 0 ? ghost : options.width; }
  [[nodiscard]] std::string text(const plait::CartesianGrid& grid) const {
    const Int3& cells = grid.cells();
    const Int3& ranks = grid.ranks();
    char text[200];
    std::string sides;
    for (const Side side : options.sides) sides += side == Side::mirror ? 'm' : 'f';
    std::snprintf(
        text, sizeof text,
        "%dx%dx%d cells on %dx%dx%d ranks, periodic %d%d%d, sides %s, width %d of %d, %s, "
        "%s, %s, %d fields of kind %d",
        cells[0], cells[1], cells[2], ranks[0], ranks[1], ranks[2], int{grid.periodic()[0]},
        int{grid.periodic()[1]}, int{grid.periodic()[2]}, sides.c_str(), options.width, ghost,
        options.edges_and_corners ? "all" : "faces", to_string(options.transport).c_str(),
        to_string(options.packing).c_str(), fields, static_cast<int>(element));
    return text;
  }
};

/// The value of a global cell in a field: a positive integer below 2^24.
inline double value_of(const Int3& cell, int field) {
  return 1 + cell[0] + 100.0 * cell[1] + 10000.0 * cell[2] + 1e6 * (field + 1);
}

/// A field in memory of exactly the size needed, with odd padding.
class TestField {
public:
  TestField(const Int3& own, int ghost, Element element) : element_(element) {
    view_.element_bytes = element == Element::single ? 4 : element == Element::full ? 8 : 24;
    view_.own = own;
    view_.ghost = ghost;
    view_.stride_y = own[0] + 2 * ghost + 1;
    view_.stride_z = view_.stride_y * (own[1] + 2 * ghost) + 3;
    const Box all = with_ghosts();
    const std::ptrdiff_t before = ghost * (1 + view_.stride_y + view_.stride_z);
    const std::ptrdiff_t last =
        (all.last[0] - 1) + (all.last[1] - 1) * view_.stride_y + (all.last[2] - 1) * view_.stride_z;
    memory_.resize(static_cast<std::size_t>(before + last + 1) * view_.element_bytes);
    view_.origin = memory_.data() + static_cast<std::size_t>(before) * view_.element_bytes;
  }

  [[nodiscard]] const plait::FieldView& view() const { return view_; }
  [[nodiscard]] Box with_ghosts() const {
    return plait::grown({{0, 0, 0}, view_.own}, view_.ghost);
  }

  void set(const Int3& cell, double value) { encode(value, place(cell)); }
  [[nodiscard]] bool holds(const Int3& cell, double value) const {
    std::byte right[24];
    encode(value, right);
    return std::memcmp(right, place(cell), view_.element_bytes) == 0;
  }

private:
  [[nodiscard]] std::byte* place(const Int3& cell) const {
    return view_.at(cell[0], cell[1], cell[2]);
  }
  void encode(double value, std::byte* to) const {
    const auto single = static_cast<float>(value);
    const double vector[] = {value, -value, value + 0.5};
    if (element_ == Element::single) {
      std::memcpy(to, &single, sizeof single);
    } else {
      std::memcpy(to, vector, view_.element_bytes);
    }
  }

  Element element_;
  plait::FieldView view_;
  std::vector<std::byte> memory_;
};

inline std::vector<TestField> make_fields(const plait::CartesianGrid& grid, const Case& test) {
  constexpr Element kinds[] = {Element::vector, Element::single, Element::full};
  std::vector<TestField> fields;
  for (int f = 0; f < test.fields; ++f) {
    fields.emplace_back(grid.own_cells(), test.ghost,
                        test.element == Element::mixed ? kinds[f % 3] : test.element);
  }
  return fields;
}

inline std::vector<plait::FieldView> views_of(const std::vector<TestField>& fields) {
  std::vector<plait::FieldView> views;
  for (const TestField& field : fields) views.push_back(field.view());
  return views;
}

/// Calls use(cell) for all cells of a box.
template <class Use>
void each(const Box& box, Use&& use) {
  for (int k = box.first[2]; k < box.last[2]; ++k) {
    for (int j = box.first[1]; j < box.last[1]; ++j) {
      for (int i = box.first[0]; i < box.last[0]; ++i) use(Int3{i, j, k});
    }
  }
}

/// The expected value of a cell after an exchange. The value of own cells and of those from other
/// ranks identifies the global cell; other ghosts have the negative value of their local cell.
inline double expected(const Case& test, const plait::CartesianGrid& grid, const Int3& local,
                       int field) {
  const Int3 own = grid.own_cells();
  Int3 cell = local;
  int axes_beyond = 0;
  bool fixed = false;
  bool too_far = false;
  for (std::size_t d = 0; d < 3; ++d) {
    if (cell[d] >= 0 && cell[d] < own[d]) continue;
    ++axes_beyond;
    too_far = too_far || cell[d] < -test.width() || cell[d] >= own[d] + test.width();
    const std::size_t upper = cell[d] < 0 ? 0 : 1;
    const bool at_end = grid.coordinates()[d] == (upper == 0 ? 0 : grid.ranks()[d] - 1);
    if (grid.periodic()[d] || !at_end) continue;
    if (test.options.sides[2 * d + upper] == Side::mirror) {
      cell[d] = (upper == 0 ? -1 : 2 * own[d] - 1) - cell[d];
    } else {
      fixed = true;
    }
  }
  if (too_far || (axes_beyond > 1 && !test.options.edges_and_corners)) {
    return -value_of(local, field);
  }
  if (fixed) return -value_of(cell, field);  // the mirror image of a fixed ghost, or one itself
  for (std::size_t d = 0; d < 3; ++d) {
    cell[d] = (cell[d] + grid.own().first[d] + grid.cells()[d]) % grid.cells()[d];
  }
  return value_of(cell, field);
}

/// Gives own cells their global values, and ghosts values that no exchange gives.
inline void reset(const plait::CartesianGrid& grid, std::vector<TestField>& fields) {
  const Box own{{0, 0, 0}, grid.own_cells()};
  for (int f = 0; f < static_cast<int>(fields.size()); ++f) {
    TestField& field = fields[static_cast<std::size_t>(f)];
    each(field.with_ghosts(), [&](const Int3& cell) {
      Int3 global = cell;
      for (std::size_t d = 0; d < 3; ++d) global[d] += grid.own().first[d];
      field.set(cell, own.contains(cell) ? value_of(global, f) : -value_of(cell, f));
    });
  }
}

/// Number of cells with an unexpected value.
inline int wrong_cells(const Case& test, const plait::CartesianGrid& grid,
                       const std::vector<TestField>& fields) {
  int wrong = 0;
  for (int f = 0; f < static_cast<int>(fields.size()); ++f) {
    const TestField& field = fields[static_cast<std::size_t>(f)];
    each(field.with_ghosts(), [&](const Int3& cell) {
      if (field.holds(cell, expected(test, grid, cell, f))) return;
      if (++wrong == 1) {
        std::fprintf(stderr, "rank %d, field %d, cell %d %d %d is wrong\n", grid.rank(), f, cell[0],
                     cell[1], cell[2]);
      }
    });
  }
  return wrong;
}

/// Changes one ghost that an exchange fills; returns false if there is none.
inline bool spoil(const Case& test, const plait::CartesianGrid& grid, TestField& field) {
  for (std::size_t d = 0; d < 3; ++d) {
    for (const int beyond : {-1, grid.own_cells()[d]}) {
      Int3 cell{};
      cell[d] = beyond;
      if (expected(test, grid, cell, 0) < 0) continue;  // not filled by an exchange
      field.set(cell, -3);
      return true;
    }
  }
  return false;
}

}  // namespace halo_test
