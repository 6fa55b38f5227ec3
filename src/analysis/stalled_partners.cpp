// SPDX-License-Identifier: BSD-3-Clause
// Time in MPI that passed because another rank had no CPU, beyond the wait states.
#include "analysis/stalled_partners.hpp"

#include <algorithm>

#include "analysis/wait_states.hpp"

namespace plait::analysis {
namespace {

using trace::kNone;

constexpr std::size_t kMostMembers = 32;
/// Shorter times in a call are its own: waiting for a CPU is measured every 200 us.
constexpr std::int64_t kShortNs = 200'000;

/// Of the rank's main thread, between two times, ns.
std::int64_t stalled_between(const Lanes& lanes, std::uint32_t rank, std::int64_t begin,
                             std::int64_t end) {
  if (rank >= lanes.main_of.size() || lanes.main_of[rank] == kNone) return 0;
  const Lane& lane = lanes.all[lanes.main_of[rank]];
  if (lane.stalls.empty()) return 0;
  return lane.stalled_until(end) - lane.stalled_until(begin);
}

/// Between t and the end of a call, of the partner that had no CPU for longest, ns.
std::int64_t stalled_partner(const trace::Trace& trace, const Lanes& lanes, const Lane& lane,
                             std::uint32_t call, std::int64_t t) {
  const trace::Event* event = event_of(trace, lane, call);
  if (event == nullptr) return 0;
  std::int64_t longest = 0;
  const auto look_at = [&](int rank) {
    if (rank < 0 || static_cast<std::uint32_t>(rank) == lane.rank) return;
    longest = std::max(
        longest, stalled_between(lanes, static_cast<std::uint32_t>(rank), t, lane.calls[call].end));
  };
  for_operations(trace.ranks[lane.rank], *event, [&](const trace::Operation& operation) {
    if (operation.kind != trace::OperationKind::collective) return look_at(operation.partner);
    const std::uint32_t comm = trace.shapes[operation.shape].comm;
    if (comm >= trace.comms.size()) return;
    for (const auto* group : {&trace.comms[comm].members, &trace.comms[comm].remote_members}) {
      const std::size_t step = 1 + group->size() / kMostMembers;
      for (std::size_t i = 0; i < group->size(); i += step) look_at((*group)[i]);
    }
  });
  return longest;
}

/// Of the data that a call sends and receives, at least.
std::int64_t copying_ns(const trace::Trace& trace, const Lane& lane, std::uint32_t call) {
  const trace::Event* event = event_of(trace, lane, call);
  std::int64_t longest = 0;
  if (event == nullptr) return longest;
  for_operations(trace.ranks[lane.rank], *event, [&](const trace::Operation& operation) {
    longest = std::max(longest, slow_copy_ns(operation.bytes));
  });
  return longest;
}

}  // namespace

std::int64_t lost_to_partner(const trace::Trace& trace, const Lanes& lanes, const Lane& lane,
                             std::uint32_t call, const CallPart& part) {
  const std::int64_t others = part.length - part.stalled - copying_ns(trace, lane, call);
  if (others <= kShortNs) return 0;
  // Both may have been without a CPU at the same time.
  const double on_cpu =
      static_cast<double>(part.length - part.stalled) / static_cast<double>(part.length);
  const auto stalled = static_cast<double>(stalled_partner(trace, lanes, lane, call, part.since));
  return std::min(others, static_cast<std::int64_t>(on_cpu * stalled));
}

}  // namespace plait::analysis
