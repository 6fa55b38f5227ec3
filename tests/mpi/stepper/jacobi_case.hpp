// SPDX-License-Identifier: BSD-3-Clause
// The computation in the tests of steppers: Jacobi steps on a small grid, and a plain serial loop.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plait/cartesian_grid.hpp"
#include "plait/field.hpp"
#include "plait/halo.hpp"
#include "plait/stepper.hpp"

namespace plait::test {

/// The boundary condition at the ends of the grid, on all axes.
enum class Ends { fixed, periodic, mirror };

inline std::string to_string(Ends ends) {
  return ends == Ends::fixed ? "fixed" : ends == Ends::periodic ? "periodic" : "mirror";
}

/// A value in (0, 1) for each global cell, including those beyond the ends.
inline double initial_value(int i, int j, int k) {
  auto bits = static_cast<std::uint64_t>(i + 7) * 0x9E3779B97F4A7C15U +
              static_cast<std::uint64_t>(j + 11) * 0xC2B2AE3D27D4EB4FU +
              static_cast<std::uint64_t>(k + 13) * 0x165667B19E3779F9U;
  bits ^= bits >> 29U;
  bits *= 0xBF58476D1CE4E5B9U;
  return static_cast<double>(bits >> 11U) * 0x1p-53;
}

/// The cell that a stencil reads in place of one beyond the end of an axis.
inline int inside(Ends ends, int index, int count) {
  if (index >= 0 && index < count) return index;
  if (ends == Ends::periodic) return index < 0 ? count - 1 : 0;
  if (ends == Ends::mirror) return index < 0 ? 0 : count - 1;
  return index;
}

/// The whole grid on one rank and one thread: a plain loop without any part of the library.
class SerialJacobi {
public:
  SerialJacobi(const Int3& cells, Ends ends) : cells_(cells), ends_(ends) {
    for (int k = -1; k <= cells[2]; ++k) {
      for (int j = -1; j <= cells[1]; ++j) {
        for (int i = -1; i <= cells[0]; ++i) now_.push_back(initial_value(i, j, k));
      }
    }
    next_ = now_;
  }

  void step() {
    for (int k = 0; k < cells_[2]; ++k) {
      for (int j = 0; j < cells_[1]; ++j) {
        for (int i = 0; i < cells_[0]; ++i) {
          next_[at(i, j, k)] =
              (((read(i - 1, j, k) + read(i + 1, j, k)) + (read(i, j - 1, k) + read(i, j + 1, k))) +
               (read(i, j, k - 1) + read(i, j, k + 1))) *
              (1.0 / 6.0);
        }
      }
    }
    std::swap(now_, next_);
  }

  [[nodiscard]] double value(int i, int j, int k) const { return now_[at(i, j, k)]; }

private:
  [[nodiscard]] std::size_t at(int i, int j, int k) const {
    return static_cast<std::size_t>(i + 1) +
           static_cast<std::size_t>(cells_[0] + 2) *
               (static_cast<std::size_t>(j + 1) +
                static_cast<std::size_t>(cells_[1] + 2) * static_cast<std::size_t>(k + 1));
  }
  [[nodiscard]] double read(int i, int j, int k) const {
    return now_[at(inside(ends_, i, cells_[0]), inside(ends_, j, cells_[1]),
                   inside(ends_, k, cells_[2]))];
  }

  Int3 cells_;
  Ends ends_;
  std::vector<double> now_;
  std::vector<double> next_;
};

/// The same computation on a grid of ranks, run by a stepper.
class Case {
public:
  Case(const Int3& cells, Ends ends, Packing packing, CartesianGrid::Options options = {})
      : ends_(ends),
        grid_(MPI_COMM_WORLD, cells, options_of(ends, std::move(options))),
        now_(grid_, 1),
        next_(grid_, 1),
        halo_(grid_, now_, halo_options(ends, packing)),
        updates_(static_cast<std::size_t>(now_.own().cells())) {}

  [[nodiscard]] Halo& halo() { return halo_; }
  [[nodiscard]] const CartesianGrid& grid() const { return grid_; }
  [[nodiscard]] Field<double>& now() { return now_; }
  [[nodiscard]] Field<double>& next() { return next_; }

  /// Sets initial values in both fields, with ghosts as after an exchange.
  void reset() {
    const Int3 first = grid_.own().first;
    const Int3& cells = grid_.cells();
    const Box all = now_.with_ghosts();
    for (int k = all.first[2]; k < all.last[2]; ++k) {
      for (int j = all.first[1]; j < all.last[1]; ++j) {
        for (int i = all.first[0]; i < all.last[0]; ++i) {
          now_(i, j, k) = initial_value(inside(ends_, first[0] + i, cells[0]),
                                        inside(ends_, first[1] + j, cells[1]),
                                        inside(ends_, first[2] + k, cells[2]));
          next_(i, j, k) = now_(i, j, k);
        }
      }
    }
    for (auto& count : updates_) count = 0;
    wrong_ = 0;
  }

  void step(Stepper& stepper) {
    stepper.step(now_, [this](const Box& box) { update(box); });
    end_of_step();
  }
  void advance(Stepper& stepper) {
    stepper.advance(next_, [this](const Box& box) { update(box); });
    end_of_step();
  }

  /// Own cells that were not updated exactly once per step or differ from the reference in any bit.
  [[nodiscard]] std::int64_t differences(const SerialJacobi& reference) const {
    std::int64_t count = wrong_;
    const Int3 first = grid_.own().first;
    const Box own = now_.own();
    for (int k = 0; k < own.last[2]; ++k) {
      for (int j = 0; j < own.last[1]; ++j) {
        for (int i = 0; i < own.last[0]; ++i) {
          const double expected = reference.value(first[0] + i, first[1] + j, first[2] + k);
          if (now_(i, j, k) != expected) ++count;
        }
      }
    }
    return count;
  }

  /// The Jacobi update of a box; counts the updates of each cell.
  void update(const Box& box) {
    for (int k = box.first[2]; k < box.last[2]; ++k) {
      for (int j = box.first[1]; j < box.last[1]; ++j) {
        for (int i = box.first[0]; i < box.last[0]; ++i) {
          next_(i, j, k) =
              (((now_(i - 1, j, k) + now_(i + 1, j, k)) + (now_(i, j - 1, k) + now_(i, j + 1, k))) +
               (now_(i, j, k - 1) + now_(i, j, k + 1))) *
              (1.0 / 6.0);
          ++updates_[cell(i, j, k)];
        }
      }
    }
  }

  /// Checks that each cell was updated once, and makes the new values the current ones.
  void end_of_step() {
    for (auto& count : updates_) {
      if (count != 1) ++wrong_;
      count = 0;
    }
    std::swap(now_, next_);
  }

private:
  static CartesianGrid::Options options_of(Ends ends, CartesianGrid::Options options) {
    if (ends == Ends::periodic) options.periodic = {true, true, true};
    return options;
  }
  static Halo::Options halo_options(Ends ends, Packing packing) {
    Halo::Options options;
    options.packing = packing;
    if (ends == Ends::mirror) options.sides.fill(Side::mirror);
    return options;
  }
  [[nodiscard]] std::size_t cell(int i, int j, int k) const {
    const Int3& own = now_.own_cells();
    return static_cast<std::size_t>(i + own[0] * (j + own[1] * k));
  }
  Ends ends_;
  CartesianGrid grid_;
  Field<double> now_;
  Field<double> next_;
  Halo halo_;
  std::vector<std::uint8_t> updates_;  ///< of each cell in this step
  std::int64_t wrong_ = 0;
};

}  // namespace plait::test
