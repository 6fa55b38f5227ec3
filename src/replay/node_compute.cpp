// SPDX-License-Identifier: BSD-3-Clause
// Ranks that compute on one node share its memory: together, k ranks have the speed P(k)/P(1).
#include "replay/node_compute.hpp"

#include <algorithm>

#include "trace/trace.hpp"

namespace plait::replay {
namespace {

bool ends_before(double work_a, std::uint32_t rank_a, double work_b, std::uint32_t rank_b) {
  return work_a != work_b ? work_a < work_b : rank_a < rank_b;
}

}  // namespace

double NodeCompute::speedup(std::uint32_t ranks) const {
  if (ranks == 0) return 0;
  return speedup_[std::min<std::size_t>(ranks, speedup_.size()) - 1];
}

double NodeCompute::rate(const Node& node) const {
  const auto ranks = static_cast<std::uint32_t>(node.jobs.size());
  return speedup(ranks) / static_cast<double>(ranks);
}

void NodeCompute::settle(Node& node, double now) const {
  if (!node.jobs.empty()) node.work_s += rate(node) * (now - node.since);
  node.since = now;
}

void NodeCompute::schedule(std::uint32_t index, double now, EventHeap& heap) {
  Node& node = nodes_[index];
  ++node.version;
  if (node.jobs.empty()) {
    node.work_s = 0;  // sums of long runs would lose precision
    return;
  }
  const auto first =
      std::min_element(node.jobs.begin(), node.jobs.end(), [](const Job& a, const Job& b) {
        return ends_before(a.ends_at_work, a.rank, b.ends_at_work, b.rank);
      });
  std::iter_swap(first, node.jobs.begin());
  const double left = std::max(0.0, node.jobs.front().ends_at_work - node.work_s);
  heap.push({now + left / rate(node), index, EventType::compute, node.version});
}

void NodeCompute::start(std::uint32_t rank, std::uint32_t node, double alone_s, double now,
                        EventHeap& heap) {
  settle(nodes_[node], now);
  nodes_[node].jobs.push_back({nodes_[node].work_s + alone_s, rank});
  schedule(node, now, heap);
}

std::uint32_t NodeCompute::end(const Event& event, EventHeap& heap) {
  Node& node = nodes_[event.index];
  if ((node.version & Event::kVersions) != event.version) return trace::kNone;
  settle(node, event.time);
  const Job done = node.jobs.front();
  node.work_s = std::max(node.work_s, done.ends_at_work);
  node.jobs.front() = node.jobs.back();
  node.jobs.pop_back();
  schedule(event.index, event.time, heap);
  return done.rank;
}

}  // namespace plait::replay
