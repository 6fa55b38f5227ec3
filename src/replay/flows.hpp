// SPDX-License-Identifier: BSD-3-Clause
// Messages that share cards equally: a fluid whose rates change when a message begins or ends.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/event_heap.hpp"
#include "trace/trace.hpp"

namespace plait::replay {

/// A card divides its speed equally among the messages that leave it, and among those that come;
/// a message moves at the smaller of its two shares. What a message leaves unused on one side is
/// not given to others.
class Flows {
public:
  explicit Flows(std::uint32_t cards) : out_(cards), in_(cards) {}

  /// A message that would take `work_s` alone begins at `now`.
  void start(std::uint32_t out_card, std::uint32_t in_card, double work_s, std::uint32_t transfer,
             double now, EventHeap& heap);

  /// An event of type kFlow came: the transfer that has ended, or kNone when the event is outdated.
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
