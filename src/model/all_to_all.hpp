// SPDX-License-Identifier: BSD-3-Clause
// All-to-all exchanges with fewer ranks per node, each with more threads: the time of their
// messages.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/jacobi_prediction.hpp"
#include "model/overlap.hpp"

namespace plait::model {

/// Each rank sends to each other in each call.
struct AllToAll {
  int nodes = 1;
  int ranks_per_node = 1;
  int copiers = 1;           ///< ranks or threads of a node that copy at the same time
  double bytes_of_node = 0;  ///< in a call, to all ranks: the same for any number of ranks
};

/// The cost of messages of a size; empty: unknown.
using LinkOfSize = std::function<std::optional<Link>(std::uint64_t bytes)>;

/// The time of a call, in seconds: what a node sends to others at the bandwidth of its ranks
/// together, what stays in the node at that of its copiers, and a latency per message of a rank.
/// What stays is moved by messages, or by the threads of a rank, so it takes the same time with any
/// number of ranks. Messages have bytes_of_node / (ranks per node x all ranks).
/// @return empty when a link that is needed is unknown
std::optional<double> all_to_all_s(const AllToAll& of, const LinkOfSize& network,
                                   const LinkOfSize& inside, Bound end);

/// Fewer ranks per node.
struct FewerRanks {
  int ranks_per_node = 1;
  int threads = 1;  ///< factor by which the threads per rank grow
  Predicted share;  ///< of the time that the messages take now; `s` is not in seconds
};

/// All divisors of the present ranks per node, least share first. The interval is that of the
/// links, with the same end for both times.
std::vector<FewerRanks> fewer_ranks(const AllToAll& now, const LinkOfSize& network,
                                    const LinkOfSize& inside);

}  // namespace plait::model
