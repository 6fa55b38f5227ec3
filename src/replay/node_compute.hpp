// SPDX-License-Identifier: BSD-3-Clause
// Ranks that compute on one node share its memory: k of them together are P(k)/P(1) fast.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/event_heap.hpp"

namespace plait::replay {

/// Processor sharing: every computing rank of a node is equally fast, and its speed changes when
/// another begins or ends.
class NodeCompute {
public:
  /// @param speedup  Network::node_speedup, not empty; beyond its end it stays (memory saturated)
  NodeCompute(std::uint32_t nodes, std::vector<double> speedup)
      : nodes_(nodes), speedup_(std::move(speedup)) {}

  /// P(k)/P(1).
  [[nodiscard]] double speedup(std::uint32_t ranks) const;

  /// A rank begins what takes `alone_s` when no other computes.
  void start(std::uint32_t rank, std::uint32_t node, double alone_s, double now, EventHeap& heap);

  /// An event of type kCompute came: the rank that is done, or kNone when the event is outdated.
  std::uint32_t end(const Event& event, EventHeap& heap);

private:
  struct Job {
    double ends_at_work = 0;
    std::uint32_t rank = 0;
  };
  struct Node {
    double work_s = 0;  ///< that each rank would have done had it computed all the time
    double since = 0;
    std::uint32_t version = 0;
    std::vector<Job> jobs;
  };
  void settle(Node& node, double now) const;
  void schedule(std::uint32_t index, double now, EventHeap& heap);
  [[nodiscard]] double rate(const Node& node) const;

  std::vector<Node> nodes_;
  std::vector<double> speedup_;
};

}  // namespace plait::replay
