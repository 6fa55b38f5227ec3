// SPDX-License-Identifier: BSD-3-Clause
// Messages that share cards equally: rates change when a message begins or ends.
#include "replay/flows.hpp"

#include <algorithm>

namespace plait::replay {
namespace {

void remove(std::vector<std::uint32_t>& from, std::uint32_t flow) {
  const auto at = std::find(from.begin(), from.end(), flow);
  *at = from.back();
  from.pop_back();
}

}  // namespace

void Flows::start(std::uint32_t out_card, std::uint32_t in_card, double work_s,
                  std::uint32_t transfer, double now, EventHeap& heap) {
  std::uint32_t index = 0;
  if (free_.empty()) {
    index = static_cast<std::uint32_t>(flows_.size());
    flows_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  const std::uint32_t version = flows_[index].version;
  flows_[index] = {work_s, 0, now, out_card, in_card, transfer, version};
  out_[out_card].push_back(index);
  in_[in_card].push_back(index);
  settle(out_card, in_card, now, heap);
}

std::uint32_t Flows::end(const Event& event, EventHeap& heap) {
  Flow& flow = flows_[event.index];
  if ((flow.version & Event::kVersions) != event.version) return trace::kNone;
  const std::uint32_t transfer = flow.transfer;
  ++flow.version;
  remove(out_[flow.out], event.index);
  remove(in_[flow.in], event.index);
  free_.push_back(event.index);
  settle(flow.out, flow.in, event.time, heap);
  return transfer;
}

void Flows::settle(std::uint32_t out_card, std::uint32_t in_card, double now, EventHeap& heap) {
  for (const std::uint32_t flow : out_[out_card]) settle(flow, now, heap);
  for (const std::uint32_t flow : in_[in_card]) settle(flow, now, heap);
}

void Flows::settle(std::uint32_t index, double now, EventHeap& heap) {
  Flow& flow = flows_[index];
  const double rate =
      1.0 / static_cast<double>(std::max(out_[flow.out].size(), in_[flow.in].size()));
  if (rate == flow.rate) return;
  flow.remaining_s = std::max(0.0, flow.remaining_s - flow.rate * (now - flow.since));
  flow.since = now;
  flow.rate = rate;
  ++flow.version;
  heap.push({now + flow.remaining_s / rate, index, EventType::flow, flow.version});
}

}  // namespace plait::replay
