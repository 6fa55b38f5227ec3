// SPDX-License-Identifier: BSD-3-Clause
// Chooses between packed and spread ranks, and the number of ranks per package, from a measured
// machine and a recorded run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/measured.hpp"
#include "machine/topology.hpp"
#include "placement/memory_bound.hpp"
#include "placement/placement.hpp"

namespace plait::placement {

/// What one rank sent to another in the whole run.
struct RankTraffic {
  int from = 0;
  int to = 0;
  double messages = 0;
  double bytes = 0;
};

/// What a recorded run shows about a program.
struct ProgramProfile {
  int ranks = 1;
  int threads = 1;
  int nodes = 1;
  double compute_s = 0;                   ///< of the rank that computed the longest
  double mpi_s = 0;                       ///< of that rank
  std::vector<double> compute_of_rank_s;  ///< may be empty; only for compute_points()
  std::vector<RankTraffic> traffic;
  /// Cores on which each rank ran. Empty: the ranks were not bound; they are assumed to be spread,
  /// as the kernel schedules them.
  std::vector<std::vector<int>> cores;
  std::vector<int> node;               ///< of each rank, from 0; empty: dealt evenly, in rank order
  std::optional<double> memory_bound;  ///< share of compute time spent waiting for memory, 0 to 1
};

/// One placement of the program and its predicted time.
struct PlacementAlternative {
  std::string intent;  ///< as place_ranks() takes it
  int nodes = 1;
  double bandwidth_gbs = 0;  ///< memory bandwidth of all ranks of a node together
  double messages_s = 0;     ///< of the rank whose messages take longest
  double low_s = 0;          ///< the run, if no compute time waits for memory
  double high_s = 0;         ///< the run, if all of it does; may be below low_s
  double seconds = 0;        ///< the run, at the given share, else at one half
};

struct PlacementChoice {
  std::vector<PlacementAlternative> alternatives;  ///< packed first, spread second
  std::size_t best = 0;                            ///< among those on as many nodes as the run
  /// The share of compute time waiting for memory at which packed and spread take the same time;
  /// empty: the same one wins at every share.
  std::optional<double> break_even;
  bool alike = false;  ///< packed and spread place each rank on the same cores
  std::vector<std::string> notes;
};

/// Memory bandwidth of some cores, GB/s. The measured bandwidth of k cores side by side (STREAM
/// copy) limits the cores that share a cache, those that share a memory or its bus, and the node.
/// @throws Error when STREAM was not measured.
double bandwidth_of(const machine::Topology& node, const machine::Measured& measured,
                    const std::vector<int>& cores);

/// Half a round trip between two cores over the path between them, in seconds.
/// @throws Error when no path inside the node was measured.
double message_s(const machine::Topology& node, const machine::Measured& measured, int core_a,
                 int core_b, double bytes);

/// The bandwidth of the ranks of each memory in the run, and the time that they computed.
/// @throws Error as choose_placement() does.
std::vector<ComputePoint> compute_points(const ProgramProfile& program,
                                         const machine::Topology& node,
                                         const machine::Measured& measured);

/// The bandwidth of each rank in the run, where the slowest node decides: the B of
/// memory_bound_share() for choose_placement(). @throws Error as that does.
double bandwidth_per_rank(const ProgramProfile& program, const machine::Topology& node,
                          const machine::Measured& measured);

/// Compares packed, spread, and 1, 2, 4 ... ranks per package (on more nodes, if a network was
/// measured). T = compute x (1 - m + m x bandwidth of the run / bandwidth there) + MPI time +
/// messages there - messages of the run, where m is the share of compute time that waits for memory
/// (Henriksen 2008, chapter 7; Jost and Robins 2010, figures 8 and 9).
/// A run on several nodes keeps its number of nodes; messages between nodes take the measured time
/// of the network.
/// @throws Error when figures of the machine are missing or the ranks do not fit.
PlacementChoice choose_placement(const ProgramProfile& program, const machine::Topology& node,
                                 const machine::Measured& measured);

}  // namespace plait::placement
