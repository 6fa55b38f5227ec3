// SPDX-License-Identifier: BSD-3-Clause
// The rank map of a grid that the portfolio of mapping methods finds best for its nodes.
#pragma once

#include <optional>
#include <span>

#include "map/rank_map.hpp"

namespace plait::map {

/// The map under which an exchange of faces sends the fewest cells between nodes, then over the
/// busiest node, as map_processes() finds it; never worse than row_major_map().
/// @param node_of_rank  node of each rank, 0.., as many as dims has
/// @param time_limit_s  what the search may take; empty: its own limits by the number of ranks
RankCoordinates portfolio_map(const Int3& dims, const Int3& cells,
                              const std::array<bool, 3>& periodic,
                              std::span<const int> node_of_rank,
                              std::optional<double> time_limit_s = {});

}  // namespace plait::map
