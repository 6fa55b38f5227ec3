// SPDX-License-Identifier: BSD-3-Clause
// Time in MPI that passed because another rank had no CPU, beyond the wait states.
#include "analysis/stalled_partners.hpp"

#include <algorithm>

namespace plait::analysis {
namespace {

using trace::kNone;

constexpr std::size_t kMostMembers = 32;

/// Of the rank's main thread, between two times, ns.
std::int64_t stalled_between(const Lanes& lanes, std::uint32_t rank, std::int64_t begin,
                             std::int64_t end) {
  if (rank >= lanes.main_of.size() || lanes.main_of[rank] == kNone) return 0;
  const Lane& lane = lanes.all[lanes.main_of[rank]];
  const std::uint32_t near = lane.calls_begun(begin, 0);
  return lane.stalled_until(end, near) - lane.stalled_until(begin, near);
}

}  // namespace

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
    const std::vector<int>& members = trace.comms[comm].members;
    const std::size_t step = 1 + members.size() / kMostMembers;
    for (std::size_t i = 0; i < members.size(); i += step) look_at(members[i]);
  });
  return longest;
}

}  // namespace plait::analysis
