// SPDX-License-Identifier: BSD-3-Clause
// C interface: grids, fields and reductions.
#include <array>
#include <vector>

#include "mapping/rank_map.hpp"
#include "plait/reduction.hpp"
#include "solve/c_api/c_api.hpp"

namespace {

using plait::Error;
using plait::Int3;
using plait::c_api::copy;
using plait::c_api::guarded_call;
using plait::c_api::required;
using plait::c_api::view;

plait::RankMap parse_map(const char* text) {
  using plait::RankMap;
  if (text == nullptr) return RankMap::automatic;
  std::string accepted;
  for (const RankMap map : {RankMap::automatic, RankMap::row_major, RankMap::mpi,
                            RankMap::node_blocked, RankMap::portfolio, RankMap::given}) {
    if (to_string(map) == text) return map;
    accepted += (accepted.empty() ? "" : ", ") + to_string(map);
  }
  throw Error("rank map \"" + std::string(text) + "\"", "unknown", "use one of " + accepted);
}

// Reads the coordinates of all ranks of a communicator.
std::vector<Int3> coordinates_of(MPI_Comm comm, const int* from) {
  required(from, "coordinates");
  int size = 1;
  MPI_Comm_size(comm, &size);
  std::vector<Int3> result;
  for (std::ptrdiff_t rank = 0; rank < size; ++rank) {
    result.push_back({from[3 * rank], from[3 * rank + 1], from[3 * rank + 2]});
  }
  return result;
}

Int3 extents_of(const int* from, const char* name) {
  required(from, name);
  return {from[0], from[1], from[2]};
}

// Applies a reduction to views and stores the result.
template <class Reduction, class... Views>
int reduce(const plait_grid* grid, double* result, Reduction reduction, Views... fields) {
  return guarded_call([&] {
    required(result, "result");
    *result = reduction(required(grid, "grid").grid, view(fields, "field")...);
  });
}

}  // namespace

extern "C" {

int plait_grid_create(MPI_Comm comm, const int cells[3], const plait_grid_options* options,
                      plait_grid** grid) {
  return guarded_call([&] {
    required(grid, "grid") = nullptr;
    if (comm == MPI_COMM_NULL)
      throw Error("comm", "must not be MPI_COMM_NULL", "pass a communicator");
    plait::CartesianGrid::Options chosen;
    Int3 extents{};
    plait::c_api::agreed(comm, [&] {
      extents = extents_of(cells, "cells");
      if (options == nullptr) return;
      chosen.map = parse_map(options->map);
      for (std::size_t d = 0; d < 3; ++d) {
        chosen.ranks[d] = options->ranks[d];
        chosen.periodic[d] = options->periodic[d] != 0;
      }
      if (chosen.map == plait::RankMap::given) {
        chosen.coordinates = coordinates_of(comm, options->coordinates);
      }
    });
    *grid = new plait_grid{plait::CartesianGrid(comm, extents, chosen)};
  });
}

int plait_grid_create_f(MPI_Fint comm, const int cells[3], const plait_grid_options* options,
                        plait_grid** grid) {
  return plait_grid_create(MPI_Comm_f2c(comm), cells, options, grid);
}

int plait_grid_free(plait_grid** grid) {
  return guarded_call([&] { delete std::exchange(required(grid, "grid"), nullptr); });
}

int plait_grid_comm(const plait_grid* grid, MPI_Comm* comm) {
  return guarded_call([&] { required(comm, "comm") = required(grid, "grid").grid.comm(); });
}

int plait_grid_rank(const plait_grid* grid, int* rank, int* size) {
  return guarded_call([&] {
    const plait::CartesianGrid& from = required(grid, "grid").grid;
    required(rank, "rank") = from.rank();
    required(size, "size") = from.size();
  });
}

int plait_grid_ranks(const plait_grid* grid, int ranks[3], int coordinates[3]) {
  return guarded_call([&] {
    const plait::CartesianGrid& from = required(grid, "grid").grid;
    copy(from.ranks(), ranks, "ranks");
    copy(from.coordinates(), coordinates, "coordinates");
  });
}

int plait_grid_own(const plait_grid* grid, int first[3], int last[3]) {
  return guarded_call([&] {
    const plait::Box own = required(grid, "grid").grid.own();
    copy(own.first, first, "first");
    copy(own.last, last, "last");
  });
}

int plait_grid_neighbour(const plait_grid* grid, const int offset[3], int* rank) {
  return guarded_call([&] {
    required(offset, "offset");
    required(rank, "rank") =
        required(grid, "grid").grid.neighbour({offset[0], offset[1], offset[2]});
  });
}

const char* plait_grid_report(plait_grid* grid) {
  const int status = guarded_call([&] {
    required(grid, "grid");
    grid->report = grid->grid.report();
  });
  return status == PLAIT_SUCCESS ? grid->report.c_str() : nullptr;
}

int plait_subdomain_map(const int dims[3], const int node_dims[3], int* rank_coord,
                        int* coord_rank) {
  return guarded_call([&] {
    const Int3 extents = extents_of(dims, "dims");
    const plait::SubdomainMap map(extents, extents_of(node_dims, "node_dims"));
    required(rank_coord, "rank_coord");
    required(coord_rank, "coord_rank");
    for (int rank = 0; rank < map.size(); ++rank) {
      const Int3& c = map.coordinates_of(rank);
      copy(c, rank_coord + 3 * std::ptrdiff_t{rank}, "rank_coord");
      coord_rank[plait::mapping::linear_index(c, extents)] = rank;
    }
  });
}

int plait_neighbor_rank(int rank, const int offset[3], const int dims[3], const int periodic[3],
                        const int* rank_coord, const int* coord_rank, int* neighbor) {
  return guarded_call([&] {
    required(rank_coord, "rank_coord");
    required(coord_rank, "coord_rank");
    const Int3 extents = extents_of(dims, "dims");
    if (rank < 0 || rank >= extents[0] * extents[1] * extents[2]) {
      throw Error("rank " + std::to_string(rank), "not in the map", "pass 0 to its size - 1");
    }
    Int3 c = extents_of(offset, "offset");
    std::array<bool, 3> wraps{};
    for (std::size_t d = 0; d < 3; ++d) {
      c[d] += rank_coord[3 * static_cast<std::size_t>(rank) + d];
      wraps[d] = periodic != nullptr && periodic[d] != 0;
    }
    required(neighbor, "neighbor") = plait::mapping::wrap(c, extents, wraps)
                                         ? coord_rank[plait::mapping::linear_index(c, extents)]
                                         : MPI_PROC_NULL;
  });
}

int plait_agree(const plait_grid* grid, int status) {
  return guarded_call([&] {
    const Error error("status " + std::to_string(status), plait_last_error(), "");
    plait::agree_on_error(required(grid, "grid").grid.comm(),
                          status == PLAIT_SUCCESS ? nullptr : &error);
  });
}

int plait_view_of_array(const plait_grid* grid, void* first, size_t element_bytes,
                        const int extents[3], const ptrdiff_t strides[3], plait_view* result) {
  return guarded_call([&] {
    plait_view& to = required(result, "view");
    to = {};
    required(static_cast<char*>(first), "first");
    required(extents, "extents");
    required(strides, "strides");
    const Int3 own = required(grid, "grid").grid.own_cells();
    const std::string shape = "array of " + std::to_string(extents[0]) + "x" +
                              std::to_string(extents[1]) + "x" + std::to_string(extents[2]);
    const int ghost = (extents[0] - own[0]) / 2;
    for (std::size_t d = 0; d < 3; ++d) {
      if (ghost < 0 || extents[d] != own[d] + 2 * ghost) {
        throw Error(shape,
                    "must be this rank's " + std::to_string(own[0]) + "x" + std::to_string(own[1]) +
                        "x" + std::to_string(own[2]) + " cells with equal ghosts on all sides",
                    "allocate own cells + 2 * ghosts along each axis");
      }
    }
    const auto bytes = static_cast<std::ptrdiff_t>(element_bytes);
    if (bytes < 1 || strides[0] != bytes || strides[1] % bytes != 0 || strides[2] % bytes != 0) {
      throw Error(shape, "rows along x are not contiguous",
                  "pass the whole array, or a section with every element of a row");
    }
    plait::FieldView array{first, element_bytes,      own,
                           ghost, strides[1] / bytes, strides[2] / bytes};
    array.origin = array.at(ghost, ghost, ghost);
    to = view(array);
  });
}

int plait_field_create(const plait_grid* grid, int ghost, size_t element_bytes,
                       plait_field** field) {
  return guarded_call([&] {
    required(field, "field") = nullptr;
    if (element_bytes == 0)
      throw Error("element_bytes", "must not be 0", "pass the size of an element");
    const Int3 own = required(grid, "grid").grid.own_cells();
    *field = new plait_field{
        plait::detail::allocate_field(own, ghost, element_bytes, plait::Pages::automatic)};
  });
}

void plait_field_free(plait_field** field) {
  if (field != nullptr) delete std::exchange(*field, nullptr);
}

plait_view plait_field_view(const plait_field* field) {
  return field == nullptr ? plait_view{} : view(field->memory.view);
}

int plait_max_change(const plait_grid* grid, const plait_view* a, const plait_view* b,
                     double* result) {
  return reduce(grid, result, plait::max_change, a, b);
}

int plait_exact_sum(const plait_grid* grid, const plait_view* field, double* result) {
  return reduce(grid, result, plait::exact_sum, field);
}

int plait_norm(const plait_grid* grid, const plait_view* field, double* result) {
  return reduce(grid, result, plait::norm, field);
}

}  // extern "C"
