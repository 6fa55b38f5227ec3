// SPDX-License-Identifier: BSD-3-Clause
// Determines eager limits from the machine file and from wait states.
#include "analysis/eager_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plait/error.hpp"
#include "replay/network.hpp"
#include "text/units.hpp"

namespace plait::analysis {
namespace {

/// Dimemas' rendezvous limit (basicanalysis of the BSC tools: Dimemas -S 32k).
constexpr std::uint64_t kDimemasLimit = 32768;
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

std::string one(std::uint64_t bytes, const char* source) {
  return fmt::format("{} ({})", format_bytes(bytes), source);
}

}  // namespace

EagerLimits eager_limits(const trace::Trace& trace, const machine::Measured* measured,
                         const Waits& waits) {
  EagerLimits limits;
  limits.has_nodes = std::ranges::any_of(
      trace.ranks, [&](const trace::Rank& rank) { return rank.node != trace.ranks.front().node; });
  limits.bytes.fill(kDimemasLimit);
  limits.source.fill("default of Dimemas");
  if (measured != nullptr) {
    try {
      const replay::Network network = replay::machine_network(*measured, "machine.json");
      const std::array<const replay::Path*, 2> paths{&network.within_node, &network.between_nodes};
      for (const std::size_t path : {0U, 1U}) {
        if (!paths[path]->known || paths[path]->eager_limit == kNoLimit) continue;
        limits.bytes[path] = paths[path]->eager_limit;
        limits.source[path] = "measured";
      }
    } catch (const Error&) {
      // No path was measured.
    }
  }
  for (const std::size_t path : {0U, 1U}) {
    const std::uint64_t most = waits.smallest_held[path] - 1;
    const std::uint64_t corrected =
        std::clamp(limits.bytes[path], waits.largest_buffered[path], most);
    if (corrected != limits.bytes[path]) limits.source[path] = "in this trace";
    limits.bytes[path] = corrected;
  }
  return limits;
}

std::string EagerLimits::text() const {
  if (bytes[0] == kNoLimit && bytes[1] == kNoLimit) return "no rendezvous";
  std::string where = one(bytes[0], source[0]);
  if (has_nodes && bytes[0] != bytes[1]) {
    where += " inside a node and " + one(bytes[1], source[1]) + " between nodes";
  }
  return "rendezvous above " + where;
}

}  // namespace plait::analysis
