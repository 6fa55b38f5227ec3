// SPDX-License-Identifier: BSD-3-Clause
// Pure MPI against hybrid programs: the time of a program in the three models of Viet, Yoshinaga,
// Abderazek and Sowa 2005 (section 4, equations 1 to 7).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/jacobi_prediction.hpp"
#include "model/overlap.hpp"
#include "model/speed_table.hpp"

namespace plait::model {

/// What the busiest node sends in one run of a block.
struct NodeMessages {
  double bytes = 0;          ///< to other nodes
  double least_bytes = 0;    ///< lower end of `bytes`; 0: the same
  int channels = 1;          ///< processes that send them at the same time
  double messages = 0;       ///< to other nodes, of a process, one after the other
  double message_bytes = 8;  ///< of one message, for the bandwidth to use
  double inside_bytes = 0;   ///< between processes of the node
  double inside_messages = 0;
};

/// One run of a block, a part of a program that computes and communicates (Viet, 3.3).
struct HybridBlock {
  double runs = 1;  ///< equal ones
  double work = 0;  ///< of a node in the block, in the unit of the speed
  /// Of a node outside blocks with one process per core, and of the single thread that does it in
  /// hybrid programs (6.5: "the out-of-block part, which is not thread-parallelized").
  double outside_mpi = 0, outside_hybrid = 0;
  /// True if the communicating thread of TC does it beside the others (tasks 1 and 2 of HPL).
  bool outside_overlaps = false;
  NodeMessages mpi, pc, tc;
  double exposed = 0;  ///< share of TC's communication that depends on the last computation
};

/// The machine of each node.
struct HybridInputs {
  SpeedTable speed;  ///< P(k) of a node
  int cores = 1;     ///< used per node, n_ppn
  /// The cost of messages of this size; empty: unknown.
  std::function<std::optional<Link>(std::uint64_t bytes)> network, inside;
};

/// The time of a program in one model; parts in seconds.
struct ModelTime {
  Predicted total;
  double compute_s = 0;      ///< in blocks, by all cores: T_p
  double outside_s = 0;      ///< outside blocks
  double communicate_s = 0;  ///< between nodes: T_m, T_inter
  double inside_s = 0;       ///< in a node: T_intra
  double overlap_s = 0;      ///< of communication and computation: T_overlap
};

/// The three models.
struct HybridPrediction {
  ModelTime mpi;  ///< one process per core (equation 1)
  ModelTime pc;   ///< one process per node, which communicates after computing (equation 2)
  ModelTime tc;   ///< the same with a communicating thread (equations 3 and 7)
};

/// The value, or an end of the interval.
double value_at(const Interval& value, Bound bound);

/// The end of an interval of speeds that makes times shorter (low) or longer (high).
Bound slowest_at(Bound time);

/// Bandwidth of a node that sends on some channels at once (basis 4 and factor 3): the channels add
/// up until the bandwidth of several pairs is reached.
double bandwidth_of(const Link& link, int channels, Bound bound = Bound::value);

/// The sum over all blocks. TC is never worse than PC if its messages are as long (4.4); grains
/// cost a latency per message. The interval is that of speeds, latencies, bandwidths and
/// NodeMessages::least_bytes. With one core per node, equation 7 promises no gain; but a thread
/// that starts messages without waiting computes while they travel, so the low end of TC is then a
/// whole overlap.
/// @throws Error when a block sends messages between nodes but the network is unknown.
HybridPrediction predict_hybrid(const std::vector<HybridBlock>& blocks, const HybridInputs& inputs);

}  // namespace plait::model
