// SPDX-License-Identifier: BSD-3-Clause
// Messages that share cards equally: rates change when a message begins or ends.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/event_heap.hpp"
#include "trace/trace.hpp"

namespace plait::replay {

/// A card divides its speed equally among outgoing messages, and likewise among incoming ones. A
/// message moves at the smaller of its two shares; what it leaves unused of the other share is
/// lost.
class Flows {
public:
  explicit Flows(std::uint32_t cards) : out_(cards), in_(cards) {}

  /// Starts a message at `now` that takes `work_s` when it shares no card.
  void start(std::uint32_t out_card, std::uint32_t in_card, double work_s, std::uint32_t transfer,
             double now, EventHeap& heap);

  /// Handles an event of type kFlow.
  /// @returns the transfer that has ended, or kNone when the event is outdated
  std::uint32_t end(const Event& event, EventHeap& heap);

private:
  struct Flow {
    double remaining_s = 0, rate = 0, since = 0;
    std::uint32_t out = 0, in = 0;
    std::uint32_t transfer = trace::kNone;
    std::uint32_t version = 0;
  };
  void settle(std::uint32_t out_card, std::uint32_t in_card, double now, EventHeap& heap);
  void settle(std::uint32_t flow, double now, EventHeap& heap);

  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;
  std::vector<std::vector<std::uint32_t>> out_, in_;  ///< flows by card
};

}  // namespace plait::replay
