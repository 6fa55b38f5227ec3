// SPDX-License-Identifier: BSD-3-Clause
// Ranks that compute on one node share its memory: together, k ranks have the speed P(k)/P(1).
#pragma once

#include <cstdint>
#include <vector>

#include "replay/event_heap.hpp"

namespace plait::replay {

/// Processor sharing: all computing ranks of a node are equally fast, and their speed changes when
/// one begins or ends.
class NodeCompute {
public:
  /// @param speedup  Network::node_speedup, not empty; its last value applies to more ranks as well
  NodeCompute(std::uint32_t nodes, std::vector<double> speedup)
      : nodes_(nodes), speedup_(std::move(speedup)) {}

  /// P(k)/P(1) for k = `ranks`.
  [[nodiscard]] double speedup(std::uint32_t ranks) const;

  /// Starts a computation that takes `alone_s` when no other rank of the node computes.
  void start(std::uint32_t rank, std::uint32_t node, double alone_s, double now, EventHeap& heap);

  /// Handles an event of type kCompute.
  /// @returns the rank that is done, or kNone when the event is outdated
  std::uint32_t end(const Event& event, EventHeap& heap);

private:
  struct Job {
    double ends_at_work = 0;
    std::uint32_t rank = 0;
  };
  struct Node {
    double work_s = 0;  ///< done by a rank that has computed all the time
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
