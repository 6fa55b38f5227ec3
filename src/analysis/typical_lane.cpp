// SPDX-License-Identifier: BSD-3-Clause
// Finds the typical lane, and sends it to all processes.
#include "analysis/typical_lane.hpp"

#include <algorithm>

#include "analysis/shares.hpp"

namespace plait::analysis {
namespace {

using trace::kNone;

/// Collective. The lane with the median number of calls; kNone: no rank calls MPI.
std::uint32_t find_typical(const Lanes& lanes, unsigned threads, Processes* processes) {
  const auto calls = Shares(lanes.shares, processes, threads)
                         .sum(
                             std::vector<std::size_t>(),
                             [&](const IndexRange& range, std::vector<std::size_t>& of_lanes) {
                               for (std::size_t i = range.first; i < range.last; ++i) {
                                 of_lanes.push_back(lanes.all[i].calls.size());
                               }
                             },
                             kAppend);
  std::vector<std::uint32_t> order;
  for (const std::uint32_t lane : lanes.main_of) {
    if (lane != kNone) order.push_back(lane);
  }
  if (order.empty()) return kNone;
  std::ranges::stable_sort(order, {}, [&](std::uint32_t lane) { return calls[lane]; });
  return order[(order.size() - 1) / 2];
}

}  // namespace

TypicalLane::TypicalLane(const trace::Trace& trace, const Lanes& lanes, unsigned threads,
                         Processes* processes) {
  const std::uint32_t number = find_typical(lanes, threads, processes);
  if (number == kNone) return;
  const Lane& lane = lanes.all[number];
  begin_ = lane.begin;
  std::size_t owner = 0;
  while (number >= lanes.shares[owner].last) ++owner;
  if (owner == rank_of(processes)) {
    calls_ = &lane.calls;
    if (size_of(processes) > 1) sent_ = lane.calls;
    find_symbols(trace, lane);
  }
  broadcast(processes, owner, sent_, symbols_.call, symbols_.symbol, symbols_.place,
            symbols_.symbols, symbols_.places, symbols_.place_hash, shapes_);
}

void TypicalLane::find_symbols(const trace::Trace& trace, const Lane& lane) {
  symbols_ = symbols_of(trace, lane);
  shapes_.resize(symbols_.places, kNone);
  for (std::size_t i = 0; i < symbols_.call.size(); ++i) {
    std::uint32_t& shape = shapes_[symbols_.place[i]];
    if (shape == kNone) shape = event_of(trace, lane, symbols_.call[i])->shape;
  }
}

}  // namespace plait::analysis
