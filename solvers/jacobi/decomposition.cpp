// SPDX-License-Identifier: BSD-3-Clause
// How the grid is cut: a Cartesian arrangement of ranks, each with a block of nearly equal size.
#include "decomposition.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace plait::jacobi {
namespace {

std::string text_of(const Triple& triple) {
  return std::to_string(triple[0]) + "x" + std::to_string(triple[1]) + "x" +
         std::to_string(triple[2]);
}

}  // namespace

Range block_range(int n, int parts, int part) {
  const int base = n / parts;
  const int larger = n % parts;
  return {part * base + std::min(part, larger) + 1, base + (part < larger ? 1 : 0)};
}

Decomposition decompose(const Triple& size, Triple ranks) {
  int world_size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  // MPI orders dimensions from slow to fast and gives the first the most ranks: z is cut first,
  // and x, along which rows are contiguous, last.
  Triple dims{ranks[2], ranks[1], ranks[0]};
  const bool all_given = std::all_of(dims.begin(), dims.end(), [](int d) { return d > 0; });
  if (!all_given) {
    int given = 1;
    for (const int d : dims) given *= d > 0 ? d : 1;
    if (world_size % given != 0) {
      throw std::invalid_argument("--ranks " + text_of(ranks) + " does not divide " +
                                  std::to_string(world_size) + " ranks");
    }
    MPI_Dims_create(world_size, 3, dims.data());
  }
  ranks = {dims[2], dims[1], dims[0]};
  if (dims[0] * dims[1] * dims[2] != world_size) {
    throw std::invalid_argument("--ranks " + text_of(ranks) + " asks for " +
                                std::to_string(dims[0] * dims[1] * dims[2]) + " ranks, there are " +
                                std::to_string(world_size));
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (size[axis] < ranks[axis]) {
      throw std::invalid_argument("--size " + text_of(size) + " leaves ranks of " + text_of(ranks) +
                                  " without points");
    }
  }

  Decomposition result;
  result.size = size;
  result.ranks = ranks;
  const Triple periodic{0, 0, 0};
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims.data(), periodic.data(), 1, &result.comm);
  MPI_Comm_rank(result.comm, &result.rank);
  Triple coordinates{};
  MPI_Cart_coords(result.comm, result.rank, 3, coordinates.data());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t slow_first = 2 - axis;
    result.place[axis] = coordinates[slow_first];
    MPI_Cart_shift(result.comm, static_cast<int>(slow_first), 1, &result.lower[axis],
                   &result.upper[axis]);
    const Range range = block_range(size[axis], ranks[axis], result.place[axis]);
    result.first[axis] = range.first;
    result.points[axis] = range.points;
  }
  return result;
}

}  // namespace plait::jacobi
