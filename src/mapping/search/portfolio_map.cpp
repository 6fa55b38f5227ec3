// SPDX-License-Identifier: BSD-3-Clause
// Turns a grid of boxes into a mapping request, and the result into a rank map.
#include "mapping/search/portfolio_map.hpp"

#include <utility>

#include "mapping/search/map_processes.hpp"

namespace plait::mapping {

RankCoordinates portfolio_map(const Int3& dims, const Int3& cells,
                              const std::array<bool, 3>& periodic,
                              std::span<const int> node_of_rank,
                              std::optional<double> time_limit_s) {
  Cartesian grid;
  for (std::size_t d = 0; d < 3; ++d) {
    grid.dims.push_back(dims[d]);
    grid.periodic.push_back(periodic[d]);
    double face = 1;
    for (std::size_t e = 0; e < 3; ++e) {
      if (e != d) face *= static_cast<double>(cells[e]) / dims[e];
    }
    grid.bytes.push_back(face);
  }
  MappingRequest request;
  request.graph = graph_of(grid);
  request.grid = std::move(grid);
  request.slots = slots_on_nodes({node_of_rank.begin(), node_of_rank.end()});
  request.goal = Goal::cut;
  request.time_limit_s = time_limit_s;
  const MappingResult result = map_processes(request);

  // Slot i is rank i; process p is the box with linear_index() p.
  RankCoordinates map = row_major_map(dims);
  const std::vector<Int3> boxes = map.of_rank;
  for (std::size_t p = 0; p < boxes.size(); ++p) {
    const int rank = result.slot_of[p];
    map.rank_at[p] = rank;
    map.of_rank[static_cast<std::size_t>(rank)] = boxes[p];
  }
  return map;
}

}  // namespace plait::mapping
