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

/// Each rank of a communicator sends to each other. All ranks of a node do so at the same time, in
/// one or several communicators.
struct AllToAll {
  int ranks = 1;    ///< of the communicator
  int in_node = 1;  ///< of them, on one node
  int ranks_per_node = 1;
  int copiers = 1;           ///< ranks or threads of a node that copy at the same time
  double bytes_of_node = 0;  ///< in a call, to all ranks: the same for any number of ranks
  double calls = 1;
};

/// The cost of messages of a size; empty: unknown.
using LinkOfSize = std::function<std::optional<Link>(std::uint64_t bytes)>;

/// The time of all calls, in seconds, each: what a node sends to others at the bandwidth of its
/// ranks together, what stays in the node at that of its copiers, and a latency per message of a
/// rank. What stays is moved by messages, or by the threads of a rank, so it takes the same time
/// with any number of ranks. Messages have bytes_of_node / (ranks per node x ranks of the
/// communicator).
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
///
/// Communicators of all ranks of a node have fewer ranks on each. The others are the rows and
/// columns of a grid of ranks: those with most ranks on a node lose ranks first, so that pencils
/// become slabs. Numbers of ranks that do not divide the grid are left out.
/// @param now  of the same node; one for each kind of communicators
std::vector<FewerRanks> fewer_ranks(std::vector<AllToAll> now, const LinkOfSize& network,
                                    const LinkOfSize& inside);

}  // namespace plait::model
