// SPDX-License-Identifier: BSD-3-Clause
// The network of a replay: LogGOPS parameters for each kind of path, nodes and cards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "machine/measured.hpp"

namespace plait::replay {

/// Parameters of a path (Hoefler, Schneider, Lumsdaine 2010, "LogGOPSim": L, o, g, G, O, S). A
/// message of n bytes occupies its sender for o + n O, the card for g + n G, travels for L, and
/// occupies its receiver for o + n O.
struct Path {
  double latency_s = 0;                           ///< L
  double overhead_s = 0;                          ///< o, each side
  double gap_s = 0;                               ///< g, between messages of a card (or pair)
  double seconds_per_byte = 0;                    ///< G; 0: infinite bandwidth
  double overhead_per_byte_s = 0;                 ///< O, each side
  std::uint64_t eager_limit = ~std::uint64_t{0};  ///< S: longer messages wait for their receive
  /// Measured one-way times by size (ascending bytes); replaces L + n G if not empty. The card is
  /// still busy for n G.
  std::vector<std::pair<std::uint64_t, double>> measured;
  /// A rendezvous takes two latencies before its data; false: the measured times contain them.
  bool handshake = true;
  bool known = true;  ///< false: not measured; a program that needs it cannot be replayed
  /// The interval of all times of the path, as multiples of them; the widest of its figures.
  double fastest = 1, slowest = 1;
};

/// When a rendezvous message moves while its process computes.
enum class Progress : std::uint8_t {
  in_call,  ///< only inside MPI calls (Open MPI, MPICH by default)
  thread,   ///< always, by a thread
  hardware  ///< always
};

/// How concurrent messages share a card: one after the other, or equally.
enum class Sharing : std::uint8_t { fifo, fair };

/// The cost of a collective call.
enum class Collectives : std::uint8_t {
  algorithms,    ///< messages of common algorithms (collective_rounds.hpp)
  dependencies,  ///< members only wait for those whose data they need
  curve          ///< the same, then Network::collective_curve
};

/// A communication model of a machine.
struct Network {
  std::string name;  ///< "ideal", "machine", or the file's
  Path within_node, between_nodes;
  bool shared_cards = true;  ///< ranks of a node share a card to other nodes
  Sharing sharing = Sharing::fifo;
  Progress progress = Progress::in_call;
  /// Speed of k computing ranks of a node relative to one rank, P(k)/P(1), from k = 1; empty: k.
  /// Used only if compute times are those of one rank alone (generated programs, other placements).
  std::vector<double> node_speedup;
  Collectives collectives = Collectives::algorithms;
  /// Seconds by bytes per member (ascending), interpolated; proportional beyond the last.
  std::vector<std::pair<std::uint64_t, double>> collective_curve;
  /// What speaks against the measurements (machine/figure_checks.hpp), as sentences.
  std::vector<std::string> notes;
};

/// No latency, infinite bandwidth, no overheads, progress by hardware, collectives as dependencies.
/// Messages longer than `eager_limit` bytes still wait for their receive (Dimemas: 32 KiB); the
/// second form has limits inside a node and between nodes.
Network ideal_network(std::uint64_t eager_limit = ~std::uint64_t{0});
Network ideal_network(std::uint64_t within_node, std::uint64_t between_nodes);

/// The network of a measured machine: the slowest path inside a node, and the path "network"
/// between nodes; a path that was not measured is not `known`. Eager limits, o and g are the fitted
/// ones, otherwise defaults of the measured MPI (docs/explanation/replay.md). Messages progress in
/// calls unless the overlap probe saw them move. Unusable figures are left out.
/// @param machine  named in errors
/// @throws Error when neither path was measured.
Network machine_network(const machine::Measured& measured, const std::string& machine);

/// The network of a specification: "ideal", "ideal:32KiB", "machine" (this node), a machine file or
/// name, a network file (JSON, docs/explanation/replay.md), or settings:
/// "latency=2us,bandwidth=10GB/s[,eager=64KiB][,node.latency=...][,progress=thread]...".
/// @throws Error that names the invalid part.
Network open_network(const std::string& spec);

}  // namespace plait::replay
