// SPDX-License-Identifier: BSD-3-Clause
// Who is waited for in each collective call.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/lanes.hpp"
#include "trace/trace.hpp"

namespace plait::analysis {

/// Which members of a collective call cannot end before which others have come, by its data.
enum class Gathering : std::uint8_t {
  kNone,      ///< unknown, or only neighbours
  kBarrier,   ///< all wait for all
  kNxN,       ///< all wait for all
  kFromRoot,  ///< all wait for the root
  kToRoot,    ///< the root waits for all
  kPrefix     ///< each waits for those before it
};

/// By the function's name: blocking, non-blocking, persistent and large-count forms alike.
Gathering gathering_of(std::string_view function);

/// Where somebody came to a communication.
struct Arrival {
  std::int64_t time = 0;
  std::uint32_t lane = trace::kNone, call = trace::kNone;
};

/// The arrivals that the members of collective calls wait for. Calls on inter-communicators are
/// left out, as are members that were not recorded.
class CollectiveArrivals {
public:
  CollectiveArrivals(const trace::Trace& trace, const Lanes& lanes);

  [[nodiscard]] Gathering gathering(std::uint32_t collective) const {
    return gatherings_[trace_.shapes[trace_.collectives[collective].shape].function];
  }
  /// kBarrier, kNxN, kToRoot: the last member to come; kFromRoot: the root.
  [[nodiscard]] const Arrival& awaited(std::uint32_t collective) const {
    return awaited_[collective];
  }
  /// Whom a rank waits for in its part of a collective call; no lane: nobody.
  [[nodiscard]] Arrival awaited_by(std::uint32_t rank, const trace::Operation& part) const;
  /// The world rank of the root; -1: none.
  [[nodiscard]] int root_of(const trace::Operation& part) const;
  /// Calls `use(arrival)` for every member of a collective call that was recorded.
  template <class Use>
  void for_members(std::uint32_t collective, Use use) const {
    const trace::Collective& of = trace_.collectives[collective];
    const std::vector<int>& members = trace_.comms[of.comm].members;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::uint32_t operation = trace_.members[of.first_member + i];
      if (operation == trace::kNone) continue;
      const auto rank = static_cast<std::uint32_t>(members[i]);
      const Lanes::Place place = lanes_.start_of(rank, trace_.ranks[rank].operations[operation]);
      if (place.lane == trace::kNone) continue;
      use(Arrival{lanes_.all[place.lane].calls[place.call].begin, place.lane, place.call},
          operation);
    }
  }

private:
  void find(std::uint32_t collective);

  const trace::Trace& trace_;
  const Lanes& lanes_;
  std::vector<Gathering> gatherings_;                  ///< by function
  std::vector<Arrival> awaited_;                       ///< by collective
  std::unordered_map<std::uint64_t, Arrival> before_;  ///< kPrefix, by rank and operation
};

}  // namespace plait::analysis
