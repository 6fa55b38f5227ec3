// SPDX-License-Identifier: BSD-3-Clause
// A topology that a program asks MPI for, as a graph for the solver.
#pragma once

#include <optional>
#include <string>

#include "mapping/mapping.hpp"

namespace plait::preload::mapper {

struct Topology {
  std::string call;      ///< "MPI_Cart_create"
  std::string shape;     ///< "4x4x2", "grid"; "graph of 32"
  mapping::Graph graph;  ///< at most as many vertices as there are processes
  std::optional<mapping::Cartesian> grid;
};

/// Assumed bytes of one face of a grid, or of an edge without weight, because programs pass no
/// sizes to MPI. Large enough that bandwidth counts more than latency.
inline constexpr double kBytesOfEdge = 65536;

}  // namespace plait::preload::mapper
