// SPDX-License-Identifier: BSD-3-Clause
// The serial reference, and the comparison of a distributed result with it, bit for bit.
#include "reference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "problem.hpp"

namespace plait::jacobi {
namespace {

std::vector<double> packed_interior(const Grid& grid) {
  const auto [nx, ny, nz] = grid.interior();
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) *
                 static_cast<std::size_t>(nz));
  for (int k = 1; k <= nz; ++k) {
    for (int j = 1; j <= ny; ++j)
      values.insert(values.end(), grid.row(j, k) + 1, grid.row(j, k) + 1 + nx);
  }
  return values;
}

std::int64_t unlike(const std::vector<double>& block, const Grid& whole, const Triple& first,
                    const Triple& points) {
  std::int64_t count = 0;
  const double* value = block.data();
  for (int k = 0; k < points[2]; ++k) {
    for (int j = 0; j < points[1]; ++j) {
      const double* row = whole.row(first[1] + j, first[2] + k) + first[0];
      for (int i = 0; i < points[0]; ++i, ++value) {
        if (std::bit_cast<std::uint64_t>(*value) != std::bit_cast<std::uint64_t>(row[i])) ++count;
      }
    }
  }
  return count;
}

}  // namespace

void set_start_values(Grid& grid, const Triple& size, const Triple& first) {
  const auto [nx, ny, nz] = grid.interior();
  for (int k = 0; k <= nz + 1; ++k) {
    for (int j = 0; j <= ny + 1; ++j) {
      double* row = grid.row(j, k);
      for (int i = 0; i <= nx + 1; ++i) {
        row[i] = start_value(size, first[0] + i - 1, first[1] + j - 1, first[2] + k - 1);
      }
    }
  }
}

Grid serial_reference(const Triple& size, int steps) {
  Grid now(size);
  Grid next(size);
  set_start_values(now, size, {1, 1, 1});
  set_start_values(next, size, {1, 1, 1});
  for (int step = 0; step < steps; ++step) {
    for (int k = 1; k <= size[2]; ++k) {
      for (int j = 1; j <= size[1]; ++j) {
        for (int i = 1; i <= size[0]; ++i) {
          const double x = now.row(j, k)[i - 1] + now.row(j, k)[i + 1];
          const double y = now.row(j - 1, k)[i] + now.row(j + 1, k)[i];
          const double z = now.row(j, k - 1)[i] + now.row(j, k + 1)[i];
          next.row(j, k)[i] = 1.0 / 6.0 * ((x + y) + z);
        }
      }
    }
    std::swap(now, next);
  }
  return now;
}

std::int64_t points_unlike_reference(const Grid& block, const Decomposition& decomposition,
                                     int steps) {
  int size = 0;
  MPI_Comm_size(decomposition.comm, &size);
  std::array<int, 6> where{};
  std::copy(decomposition.first.begin(), decomposition.first.end(), where.begin());
  std::copy(decomposition.points.begin(), decomposition.points.end(), where.begin() + 3);
  std::vector<int> all(static_cast<std::size_t>(size) * where.size());
  MPI_Gather(where.data(), 6, MPI_INT, all.data(), 6, MPI_INT, 0, decomposition.comm);

  std::vector<double> values = packed_interior(block);
  std::int64_t count = 0;
  if (decomposition.rank != 0) {
    MPI_Send(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, 0, 0, decomposition.comm);
  } else {
    const Grid reference = serial_reference(decomposition.size, steps);
    for (int rank = 0; rank < size; ++rank) {
      const int* its = all.data() + static_cast<std::ptrdiff_t>(rank) * 6;
      const Triple first{its[0], its[1], its[2]};
      const Triple points{its[3], its[4], its[5]};
      if (rank != 0) {
        values.resize(static_cast<std::size_t>(points[0]) * static_cast<std::size_t>(points[1]) *
                      static_cast<std::size_t>(points[2]));
        MPI_Recv(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, rank, 0,
                 decomposition.comm, MPI_STATUS_IGNORE);
      }
      count += unlike(values, reference, first, points);
    }
  }
  MPI_Bcast(&count, 1, MPI_INT64_T, 0, decomposition.comm);
  return count;
}

std::uint64_t checksum(const Grid& block, const Decomposition& decomposition) {
  std::uint64_t sum = 0;
  for (const double value : packed_interior(block)) sum += std::bit_cast<std::uint64_t>(value);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, decomposition.comm);
  return sum;
}

double largest_error(const Grid& block, const Decomposition& decomposition) {
  const auto [nx, ny, nz] = block.interior();
  const Triple& first = decomposition.first;
  double largest = 0.0;
  for (int k = 1; k <= nz; ++k) {
    for (int j = 1; j <= ny; ++j) {
      for (int i = 1; i <= nx; ++i) {
        const double exact =
            exact_value(decomposition.size, first[0] + i - 1, first[1] + j - 1, first[2] + k - 1);
        largest = std::max(largest, std::abs(block.row(j, k)[i] - exact));
      }
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, decomposition.comm);
  return largest;
}

}  // namespace plait::jacobi
