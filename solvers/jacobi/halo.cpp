// SPDX-License-Identifier: BSD-3-Clause
// Exchange of a block's six faces with its neighbours.
#include "halo.hpp"

#include <algorithm>

namespace plait::jacobi {
namespace {

/// Calls visit(row, i, n) for each run of n points, contiguous in memory, of the layer `index`
/// normal to `axis`: row[i] is its first.
template <class AnyGrid, class Visit>
void for_each_run(AnyGrid& grid, std::size_t axis, int index, Visit visit) {
  const auto [nx, ny, nz] = grid.interior();
  if (axis == 2) {
    for (int j = 1; j <= ny; ++j) visit(grid.row(j, index), 1, nx);
  } else if (axis == 1) {
    for (int k = 1; k <= nz; ++k) visit(grid.row(index, k), 1, nx);
  } else {
    for (int k = 1; k <= nz; ++k) {
      for (int j = 1; j <= ny; ++j) visit(grid.row(j, k), index, 1);
    }
  }
}

}  // namespace

Halo::Halo(const Decomposition& decomposition) : comm_(decomposition.comm) {
  const Triple& n = decomposition.points;
  const std::array<std::size_t, 3> area{
      static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(n[2]),
      static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[2]),
      static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1])};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const bool upper : {false, true}) {
      const int neighbour = upper ? decomposition.upper[axis] : decomposition.lower[axis];
      if (neighbour == MPI_PROC_NULL) continue;
      faces_.push_back({axis, upper, neighbour, std::vector<double>(area[axis]),
                        std::vector<double>(area[axis])});
    }
  }
}

void Halo::exchange(Grid& grid) {
  std::array<MPI_Request, 12> requests{};
  int count = 0;
  // A face that travels upwards is received from below: the tag is axis and direction of travel.
  for (Face& face : faces_) {
    const int tag = static_cast<int>(2 * face.axis) + (face.upper ? 0 : 1);
    MPI_Irecv(face.in.data(), static_cast<int>(face.in.size()), MPI_DOUBLE, face.neighbour, tag,
              comm_, &requests[static_cast<std::size_t>(count++)]);
  }
  for (Face& face : faces_) {
    double* to = face.out.data();
    for_each_run(grid, face.axis, face.upper ? grid.interior()[face.axis] : 1,
                 [&](const double* row, int i, int n) { to = std::copy_n(row + i, n, to); });
    const int tag = static_cast<int>(2 * face.axis) + (face.upper ? 1 : 0);
    MPI_Isend(face.out.data(), static_cast<int>(face.out.size()), MPI_DOUBLE, face.neighbour, tag,
              comm_, &requests[static_cast<std::size_t>(count++)]);
  }
  MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
  for (Face& face : faces_) {
    const double* from = face.in.data();
    for_each_run(grid, face.axis, face.upper ? grid.interior()[face.axis] + 1 : 0,
                 [&](double* row, int i, int n) {
                   std::copy_n(from, n, row + i);
                   from += n;
                 });
  }
}

std::size_t Halo::bytes_sent() const {
  std::size_t bytes = 0;
  for (const Face& face : faces_) bytes += face.out.size() * sizeof(double);
  return bytes;
}

}  // namespace plait::jacobi
