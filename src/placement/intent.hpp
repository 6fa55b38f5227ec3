// SPDX-License-Identifier: BSD-3-Clause
// A request for a placement, and its syntax: "4 ranks x 8 threads, one per L3".
#pragma once

#include <optional>
#include <string>

namespace plait::placement {

/// Kinds of places on a machine that a request can name.
enum class PlaceKind { node, package, numa, cache, core };

/// A kind of place. A cache also has a level; 0 is the largest cache that cores share.
struct Place {
  PlaceKind kind = PlaceKind::node;
  int cache_level = 0;
};

/// A request for a placement: `4 ranks x 8 threads, one per L3`.
struct Intent {
  std::optional<int> ranks;    ///< on all nodes; unset: as many as `per` gives
  std::optional<int> threads;  ///< per rank; unset: as many as fill `per`, else 1
  std::optional<int> nodes;    ///< unset: 1
  std::optional<int> per;      ///< ranks in each `place`
  Place place;
  bool shared = false;         ///< a rank may use all cores of its `place`, with its neighbours
  std::optional<bool> spread;  ///< over caches and memories, or packed; unset: packed
  int cores_free = 0;          ///< cores left idle in each `free_in`
  Place free_in;
  bool hardware_threads = false;  ///< a thread needs a hardware thread, not a core
};

/// The syntax of a request, for messages and --help.
extern const char* const kIntentGrammar;

/// Parses a request. "a" and "an" are accepted for "per": "one an L3".
/// @throws Error (input: the text) that shows the syntax and quotes the part that it cannot parse
Intent parse_intent(const std::string& text);

/// "L3", "NUMA domain", "package" ...: the singular of a kind of place.
std::string place_name(const Place& place);

}  // namespace plait::placement
