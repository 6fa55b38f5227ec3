// SPDX-License-Identifier: BSD-3-Clause
// The best rank map that the search finds for a grid on its nodes.
#pragma once

#include <optional>
#include <span>

#include "mapping/rank_map.hpp"

namespace plait::mapping {

/// The map from map_processes() under which an exchange of faces sends the fewest cells between
/// nodes, then through the busiest node. Never worse than row_major_map().
/// @param node_of_rank  node of each rank, 0.., as many as dims has
/// @param time_limit_s  time limit of the search; empty: its default for the number of ranks
RankCoordinates portfolio_map(const Int3& dims, const Int3& cells,
                              const std::array<bool, 3>& periodic,
                              std::span<const int> node_of_rank,
                              std::optional<double> time_limit_s = {});

}  // namespace plait::mapping
