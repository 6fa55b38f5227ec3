// SPDX-License-Identifier: BSD-3-Clause
// Names of the rank maps, and Stengel's map for programs.
#include "plait/rank_map.hpp"

#include <mpi.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "mapping/rank_map.hpp"
#include "plait/error.hpp"

namespace plait {
namespace {

std::string text(const Int3& v) {
  return std::to_string(v[0]) + "x" + std::to_string(v[1]) + "x" + std::to_string(v[2]);
}

/// Throws unless all three are at least 1 and their product is an int.
void require_extents(const Int3& v, const char* what) {
  std::int64_t product = 1;
  for (const int n : v) {
    if (n < 1) {
      throw Error(what + (" " + text(v)), "a number is less than 1",
                  "give at least 1 along x, y and z");
    }
    if (product > std::numeric_limits<int>::max() / n) {
      throw Error(what + (" " + text(v)), "more ranks than MPI can count", "use fewer ranks");
    }
    product *= n;
  }
}

}  // namespace

std::string to_string(RankMap map) {
  switch (map) {
    case RankMap::automatic:
      return "automatic";
    case RankMap::row_major:
      return "row_major";
    case RankMap::mpi:
      return "mpi";
    case RankMap::node_blocked:
      return "node_blocked";
    case RankMap::portfolio:
      return "portfolio";
    case RankMap::given:
      return "given";
  }
  return "";
}

SubdomainMap::SubdomainMap(const Int3& dims, const Int3& node_dims,
                           const std::array<bool, 3>& periodic)
    : dims_(dims), periodic_(periodic) {
  require_extents(dims, "ranks");
  require_extents(node_dims, "block per node");
  mapping::RankCoordinates map = mapping::subdomain_map(dims, node_dims);
  coordinates_ = std::move(map.of_rank);
  rank_at_ = std::move(map.rank_at);
}

const Int3& SubdomainMap::coordinates_of(int rank) const {
  return coordinates_.at(static_cast<std::size_t>(rank));
}

int SubdomainMap::rank_at(const Int3& coordinates) const {
  Int3 c = coordinates;
  if (!mapping::wrap(c, dims_, periodic_)) return MPI_PROC_NULL;
  return rank_at_[mapping::linear_index(c, dims_)];
}

int SubdomainMap::neighbor_rank(int rank, const Int3& offset) const {
  const Int3& c = coordinates_of(rank);
  return rank_at({c[0] + offset[0], c[1] + offset[1], c[2] + offset[2]});
}

}  // namespace plait
