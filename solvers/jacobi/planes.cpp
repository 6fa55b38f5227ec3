// SPDX-License-Identifier: BSD-3-Clause
// Moves a distributed field to or from rank 0 as slabs of whole planes.
#include "planes.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "plait/environment.hpp"

namespace plait::jacobi {
namespace {

std::size_t count_of(const Box& box) {
  return static_cast<std::size_t>(box.cells());
}

/// Planes per slab: about 32 MiB on rank 0, and message lengths that fit an int.
int slab_planes(const Int3& cells) {
  const std::int64_t plane = std::int64_t{cells[0]} * cells[1];
  constexpr std::int64_t slab = std::int64_t{1} << 22U;
  return static_cast<int>(std::clamp<std::int64_t>(slab / plane, 1, cells[2]));
}

/// Calls body(slab, own cells in the slab) for all slabs in order.
template <class Body>
void for_each_slab(const CartesianGrid& grid, Body body) {
  const Int3& cells = grid.cells();
  const int step = slab_planes(cells);
  for (int z = 0; z < cells[2]; z += step) {
    const Box slab{{0, 0, z}, {cells[0], cells[1], std::min(cells[2], z + step)}};
    body(slab, intersection(slab, grid.own()));
  }
}

/// Calls visit(offset in the slab, offset in the part, length) for the rows of `part`, a box within
/// `slab`; both are stored densely.
template <class Visit>
void for_each_row(const Box& slab, const Box& part, Visit visit) {
  std::size_t in_part = 0;
  const auto length = static_cast<std::size_t>(part.extent(0));
  for (int k = part.first[2]; k < part.last[2]; ++k) {
    for (int j = part.first[1]; j < part.last[1]; ++j) {
      const std::size_t in_slab =
          (static_cast<std::size_t>(k - slab.first[2]) * static_cast<std::size_t>(slab.extent(1)) +
           static_cast<std::size_t>(j)) *
              static_cast<std::size_t>(slab.extent(0)) +
          static_cast<std::size_t>(part.first[0]);
      visit(in_slab, in_part, length);
      in_part += length;
    }
  }
}

/// Runs `body` on rank 0. Its Error becomes a CollectiveError on all ranks. Collective.
template <class Body>
void on_root(const CartesianGrid& grid, Body body) {
  std::optional<Error> error;
  if (grid.rank() == 0) {
    try {
      body();
    } catch (const Error& thrown) {
      error.emplace(thrown);
    }
  }
  agree_on_error(grid.comm(), error ? &*error : nullptr);
}

/// Copies cells of the field to dense values.
void pack(const Field<double>& field, const Box& local, std::vector<double>& values) {
  values.clear();
  for (int k = local.first[2]; k < local.last[2]; ++k) {
    for (int j = local.first[1]; j < local.last[1]; ++j) {
      const double* row = field.row(j, k);
      values.insert(values.end(), row + local.first[0], row + local.last[0]);
    }
  }
}

/// Copies dense values to cells of the field.
void unpack(Field<double>& field, const Box& local, const std::vector<double>& values) {
  const double* from = values.data();
  for (int k = local.first[2]; k < local.last[2]; ++k) {
    for (int j = local.first[1]; j < local.last[1]; ++j) {
      std::copy_n(from, local.extent(0), field.row(j, k) + local.first[0]);
      from += local.extent(0);
    }
  }
}

Box local_part(const CartesianGrid& grid, const Box& part) {
  const Int3 first = grid.own().first;
  return shifted(part, {-first[0], -first[1], -first[2]});
}

}  // namespace

void gather_planes(const CartesianGrid& grid, const Field<double>& field, const TakePlanes& take) {
  std::vector<double> planes;
  std::vector<double> values;
  for_each_slab(grid, [&](const Box& slab, const Box& mine) {
    if (!mine.empty()) pack(field, local_part(grid, mine), values);
    if (grid.rank() != 0 && !mine.empty()) {
      MPI_Send(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, 0, 0, grid.comm());
    }
    if (grid.rank() == 0) {
      planes.resize(count_of(slab));
      for (int rank = 0; rank < grid.size(); ++rank) {
        const Box part = intersection(slab, grid.own_of(rank));
        if (part.empty()) continue;
        if (rank != 0) {
          values.resize(count_of(part));
          MPI_Recv(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, rank, 0, grid.comm(),
                   MPI_STATUS_IGNORE);
        }
        for_each_row(slab, part, [&](std::size_t to, std::size_t from, std::size_t length) {
          std::copy_n(&values[from], length, &planes[to]);
        });
      }
    }
    on_root(grid, [&] { take(slab.first[2], slab.extent(2), planes); });
  });
}

void scatter_planes(const CartesianGrid& grid, Field<double>& field, const GivePlanes& give) {
  std::vector<double> planes;
  std::vector<double> values;
  for_each_slab(grid, [&](const Box& slab, const Box& mine) {
    if (grid.rank() == 0) planes.resize(count_of(slab));
    on_root(grid, [&] { give(slab.first[2], slab.extent(2), planes); });
    if (grid.rank() == 0) {
      // Rank 0's own cells come last: they stay in `values`.
      for (int rank = grid.size() - 1; rank >= 0; --rank) {
        const Box part = intersection(slab, grid.own_of(rank));
        if (part.empty()) continue;
        values.resize(count_of(part));
        for_each_row(slab, part, [&](std::size_t from, std::size_t to, std::size_t length) {
          std::copy_n(&planes[from], length, &values[to]);
        });
        if (rank != 0) {
          MPI_Send(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, rank, 0,
                   grid.comm());
        }
      }
    } else if (!mine.empty()) {
      values.resize(count_of(mine));
      MPI_Recv(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, 0, 0, grid.comm(),
               MPI_STATUS_IGNORE);
    }
    if (!mine.empty()) unpack(field, local_part(grid, mine), values);
  });
}

}  // namespace plait::jacobi
