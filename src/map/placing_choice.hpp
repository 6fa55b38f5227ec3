// SPDX-License-Identifier: BSD-3-Clause
// Whether ranks should share caches or be spread over them and the memories, and how many should
// run on a package: answered from what was measured of the machine and seen of the program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/measured.hpp"
#include "machine/topology.hpp"
#include "map/placing.hpp"

namespace plait::map {

/// What one rank sent to another in the whole run.
struct RankTraffic {
  int from = 0;
  int to = 0;
  double messages = 0;
  double bytes = 0;
};

/// What a run showed of a program.
struct ProgramProfile {
  int ranks = 1;
  int threads = 1;
  int nodes = 1;
  double compute_s = 0;  ///< of the rank that computed longest
  double mpi_s = 0;      ///< of that rank
  std::vector<RankTraffic> traffic;
  /// Cores on which each rank ran; empty: it was not bound, which is taken for spread, as the
  /// kernel does it.
  std::vector<std::vector<int>> cores;
  std::vector<int> node;  ///< of each rank, from 0; empty: shared out evenly, in rank order
  std::optional<double> memory_bound;  ///< share of computing that waits for memory, 0 to 1
};

/// One way to place the program, and what it would take.
struct PlacingAlternative {
  std::string intent;  ///< as place_ranks() takes it
  int nodes = 1;
  double bandwidth_gbs = 0;  ///< of memory, that the ranks of a node have together
  double messages_s = 0;     ///< of the rank whose messages take longest
  double low_s = 0;          ///< the run, if no computing waits for memory
  double high_s = 0;         ///< the run, if all does; may be below low_s
  double seconds = 0;        ///< at the share given, else at one half
};

struct PlacingChoice {
  std::vector<PlacingAlternative> alternatives;  ///< packed first, spread second
  std::size_t best = 0;                          ///< of those on as many nodes as the run had
  /// Share of computing that must wait for memory for `best` and its rival (packed or spread) to
  /// take the same time; empty: one wins whatever it is.
  std::optional<double> break_even;
  bool alike = false;  ///< packed and spread put each rank to the same cores
  std::vector<std::string> notes;
};

/// Memory bandwidth of some cores, GB/s: what k cores side by side were measured to get (STREAM
/// copy) bounds the cores that share a cache, those that share a memory or its bus, and the node.
/// @throws Error when STREAM was not measured.
double bandwidth_of(const machine::Topology& node, const machine::Measured& measured,
                    const std::vector<int>& cores);

/// Half a round trip between two cores, seconds, by the path between them.
/// @throws Error when no path inside the node was measured.
double message_s(const machine::Topology& node, const machine::Measured& measured, int core_a,
                 int core_b, double bytes);

/// Compares packed, spread, and 1, 2, 4 ... ranks a package (on more nodes, where a network was
/// measured). T = compute x (1 - m + m x bandwidth of the run / bandwidth there) + MPI time +
/// messages there - messages of the run, with m the share that waits for memory (Henriksen 2008,
/// chapter 7; Jost and Robins 2010, figures 8 and 9).
/// A run on several nodes stays on as many: its ranks are placed within each, and messages between
/// nodes cost what the network was measured to take.
/// @throws Error when the machine lacks figures or the ranks do not fit.
PlacingChoice choose_placing(const ProgramProfile& program, const machine::Topology& node,
                             const machine::Measured& measured);

}  // namespace plait::map
