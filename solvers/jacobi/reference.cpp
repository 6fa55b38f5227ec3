// SPDX-License-Identifier: BSD-3-Clause
// The serial reference, and its bitwise comparison with a distributed result.
#include "reference.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "planes.hpp"

namespace plait::jacobi {

Reference::Reference(const CartesianGrid& grid, const Problem& problem, const Fields& fields)
    : grid_(grid), problem_(problem) {
  const auto [nx, ny, nz] = grid.cells();
  if (grid.rank() == 0) {
    now_.assign(at(nx, ny, nz) + 1, 0.0);
    // Sets static values beyond sides. Edges and corners are never read; other ghosts are set
    // later.
    for (int k = -1; k <= nz; ++k) {
      for (int j = -1; j <= ny; ++j) {
        for (int i = -1; i <= nx; ++i) {
          const int outside =
              (i < 0 || i >= nx ? 1 : 0) + (j < 0 || j >= ny ? 1 : 0) + (k < 0 || k >= nz ? 1 : 0);
          if (outside == 1) now_[at(i, j, k)] = problem.side_value(i, j, k);
        }
      }
    }
  }
  gather_planes(grid, fields.now, [&](int first, int count, std::span<const double> planes) {
    const double* from = planes.data();
    for (int k = first; k < first + count; ++k) {
      for (int j = 0; j < grid_.cells()[1]; ++j, from += grid_.cells()[0]) {
        std::copy_n(from, grid_.cells()[0], &now_[at(0, j, k)]);
      }
    }
  });
  next_ = now_;
  if (!fields.source) return;
  gather_planes(grid, *fields.source, [&](int, int, std::span<const double> planes) {
    source_.insert(source_.end(), planes.begin(), planes.end());
  });
}

std::size_t Reference::at(int i, int j, int k) const {
  const auto row = static_cast<std::size_t>(grid_.cells()[0]) + 2;
  const auto rows = static_cast<std::size_t>(grid_.cells()[1]) + 2;
  return (static_cast<std::size_t>(k + 1) * rows + static_cast<std::size_t>(j + 1)) * row +
         static_cast<std::size_t>(i + 1);
}

void Reference::mirror_and_wrap() {
  const auto [nx, ny, nz] = grid_.cells();
  const Boundary& boundary = problem_.boundary();
  const auto fill = [&](int axis, int n, auto cell) {
    if (boundary.periodic(axis)) {
      now_[cell(-1)] = now_[cell(n - 1)];
      now_[cell(n)] = now_[cell(0)];
    } else {
      if (!boundary.low(axis).fixed()) now_[cell(-1)] = now_[cell(0)];
      if (!boundary.high(axis).fixed()) now_[cell(n)] = now_[cell(n - 1)];
    }
  };
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) fill(0, nx, [&](int i) { return at(i, j, k); });
    for (int i = 0; i < nx; ++i) fill(1, ny, [&](int j) { return at(i, j, k); });
  }
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) fill(2, nz, [&](int k) { return at(i, j, k); });
  }
}

void Reference::advance(int steps) {
  if (grid_.rank() != 0) return;
  const auto [nx, ny, nz] = grid_.cells();
  for (int step = 0; step < steps; ++step) {
    mirror_and_wrap();
    std::size_t cell = 0;
    for (int k = 0; k < nz; ++k) {
      for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i, ++cell) {
          const double x = now_[at(i - 1, j, k)] + now_[at(i + 1, j, k)];
          const double y = now_[at(i, j - 1, k)] + now_[at(i, j + 1, k)];
          const double z = now_[at(i, j, k - 1)] + now_[at(i, j, k + 1)];
          double sum = (x + y) + z;
          if (!source_.empty()) sum -= source_[cell];
          next_[at(i, j, k)] = sum * (1.0 / 6.0);
        }
      }
    }
    std::swap(now_, next_);
  }
}

Field<double> Reference::own_cells() const {
  Field<double> field(grid_, 0);
  scatter_planes(grid_, field, [&](int first, int count, std::span<double> planes) {
    double* to = planes.data();
    for (int k = first; k < first + count; ++k) {
      for (int j = 0; j < grid_.cells()[1]; ++j) {
        to = std::copy_n(&now_[at(0, j, k)], grid_.cells()[0], to);
      }
    }
  });
  return field;
}

std::int64_t cells_unlike(const CartesianGrid& grid, const Field<double>& field,
                          const Field<double>& expected) {
  std::int64_t count = 0;
  const Int3 n = field.own_cells();
  for (int k = 0; k < n[2]; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      const double* row = field.row(j, k);
      const double* its = expected.row(j, k);
      for (int i = 0; i < n[0]; ++i) {
        if (std::bit_cast<std::uint64_t>(row[i]) != std::bit_cast<std::uint64_t>(its[i])) ++count;
      }
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, grid.comm());
  return count;
}

}  // namespace plait::jacobi
