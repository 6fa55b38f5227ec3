// SPDX-License-Identifier: BSD-3-Clause
// Puts ranks and their threads onto the cores of nodes, by what a person asks for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/cpuset.hpp"
#include "machine/topology.hpp"

namespace plait::map {

/// What an intent can name of a machine.
enum class PlaceKind { node, package, numa, cache, core };

/// A kind of place; of caches also the level, 0 for the largest that cores share.
struct Place {
  PlaceKind kind = PlaceKind::node;
  int cache_level = 0;
};

/// What a person asks for: `4 ranks x 8 threads, one an L3`.
struct Intent {
  std::optional<int> ranks;    ///< of all nodes; unsaid: as many as `per` gives
  std::optional<int> threads;  ///< of a rank; unsaid: those that fill `per`, else 1
  std::optional<int> nodes;    ///< unsaid: 1
  std::optional<int> per;      ///< ranks in each `place`
  Place place;
  std::optional<bool> spread;  ///< over caches and memories, or packed; unsaid: packed
  int cores_free = 0;          ///< cores left idle in each `free_in`
  Place free_in;
  bool hardware_threads = false;  ///< a thread needs a hardware thread, not a core
};

/// How an intent is written, for messages and --help.
extern const char* const kIntentGrammar;

/// Reads an intent.
/// @throws Error (input: the text) that shows the grammar and names the part that was not
/// understood
Intent parse_intent(const std::string& text);

/// "L3", "NUMA domain", "package" ...: the singular of a kind of place.
std::string place_name(const Place& place);

/// Where a rank was put.
struct RankSpot {
  int node = 0;              ///< counted from 0
  machine::CpuSet pus;       ///< hardware threads, operating-system numbers
  std::vector<int> cores;    ///< ids of the cores that they are of, rising
  bool whole_cores = false;  ///< `pus` are all hardware threads of `cores`
};

/// The places of all ranks; nodes are alike, ranks are numbered node by node.
struct Placing {
  int nodes = 1;
  int threads = 1;
  std::vector<RankSpot> ranks;
  std::vector<std::string>
      notes;  ///< what was left out, and what was chosen where nothing was said
};

/// Places ranks by an intent, on what the job may use of a node.
/// `per`: the ranks of each place of that kind begin at its first core and lie side by side; places
/// that are too small are left out. Packed: in the order of cores, a rank in as few caches and
/// memories as it can be. Spread: as evenly over packages, memories and caches as they have room.
/// @throws Error (input: the intent's text) when the ranks do not fit, with what would
Placing place_ranks(const Intent& intent, const machine::Topology& node, const std::string& text);

/// The sets of cores of a node that are a place of that kind, in the order of cores; only allowed
/// cores, no empty sets. Empty when the node has no such places.
std::vector<std::vector<int>> groups_of(const machine::Topology& node, const Place& place);

}  // namespace plait::map
