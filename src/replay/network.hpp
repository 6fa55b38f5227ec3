// SPDX-License-Identifier: BSD-3-Clause
// The network that a replay runs on: LogGOPS parameters for each kind of path, nodes and cards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "machine/measured.hpp"

namespace plait::replay {

/// What a message costs on a path (Hoefler, Schneider, Lumsdaine 2010, "LogGOPSim": L, o, g, G, O,
/// S). A message of n bytes occupies its sender for o + n O, the card for g + n G, is L on its way,
/// and occupies its receiver for o + n O.
struct Path {
  double latency_s = 0;                           ///< L
  double overhead_s = 0;                          ///< o, each side
  double gap_s = 0;                               ///< g, between messages of one card (or pair)
  double seconds_per_byte = 0;                    ///< G; 0: infinite bandwidth
  double overhead_per_byte_s = 0;                 ///< O, each side
  std::uint64_t eager_limit = ~std::uint64_t{0};  ///< S: longer messages wait for their receive
  /// One-way times by size where measured (ascending bytes); replaces L + n G when not empty.
  /// It then holds for the message alone; n G still is what the card is busy for.
  std::vector<std::pair<std::uint64_t, double>> measured;
  /// A rendezvous costs two latencies before its data; false: what was measured contains them.
  bool handshake = true;
  bool known = true;  ///< false: nothing was measured; a program that needs it cannot be replayed
};

/// When a rendezvous message moves while its process computes.
enum class Progress : std::uint8_t {
  kInCall,   ///< only inside MPI calls (Open MPI, MPICH by default)
  kThread,   ///< always, by a thread
  kHardware  ///< always
};

/// How messages that meet at a card share it: one after the other, or equally.
enum class Sharing : std::uint8_t { kFifo, kFair };

/// What a collective call costs.
enum class Collectives : std::uint8_t {
  kAlgorithms,    ///< the messages of the usual algorithms (collective_rounds.hpp)
  kDependencies,  ///< waiting for those whose data it needs, and nothing else
  kCurve          ///< the same, and then Network::collective_curve
};

/// A model of a machine's communication.
struct Network {
  std::string name;  ///< "ideal", "machine", or the file's
  Path within_node, between_nodes;
  bool shared_cards = true;  ///< ranks of a node share one card to other nodes
  Sharing sharing = Sharing::kFifo;
  Progress progress = Progress::kInCall;
  /// Speed of k computing ranks of one node against one, P(k)/P(1), k = 1..; empty: k. Applies only
  /// where compute times are given for one rank alone (generated programs, other placements).
  std::vector<double> node_speedup;
  Collectives collectives = Collectives::kAlgorithms;
  /// Seconds by bytes of a member (ascending), interpolated; beyond the last in proportion.
  std::vector<std::pair<std::uint64_t, double>> collective_curve;
};

/// Zero latency, infinite bandwidth, no overheads, progress by hardware, collectives by their
/// dependencies. Messages longer than `eager_limit` still wait for their receive (Dimemas: 32 KiB).
Network ideal_network(std::uint64_t eager_limit = ~std::uint64_t{0});

/// From what was measured: the slowest path inside a node, and the path "network" between nodes;
/// what was not measured is not `known`. Eager limits, o and g are those that were fitted to the
/// figures, else defaults of the MPI that was measured (docs/replay.md); messages progress in calls
/// unless the overlap probe saw them move. @throws Error (input `machine`) when neither was.
Network machine_network(const machine::Measured& measured, const std::string& machine);

/// "ideal", "ideal:32KiB", "machine" (this node), a machine file or name, a network file (JSON,
/// docs/replay.md), or by hand:
/// "latency=2us,bandwidth=10GB/s[,eager=64KiB][,node.latency=...][,progress=thread]...".
/// @throws Error that names the part that is not understood.
Network open_network(const std::string& spec);

}  // namespace plait::replay
