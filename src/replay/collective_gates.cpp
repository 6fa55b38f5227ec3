// SPDX-License-Identifier: BSD-3-Clause
// Replays collectives as dependencies between their members, without messages.
#include "replay/collective_gates.hpp"

#include <algorithm>

namespace plait::replay {
namespace {

/// Who waits for whom.
enum class Flow : std::uint8_t { from_root, to_root, prefix, all };

Flow flow_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::broadcast:
    case Pattern::scatter:
      return Flow::from_root;
    case Pattern::reduce:
    case Pattern::gather:
      return Flow::to_root;
    case Pattern::scan:
      return Flow::prefix;
    case Pattern::barrier:
    case Pattern::allreduce:
    case Pattern::allgather:
    case Pattern::alltoall:
    case Pattern::reduce_scatter:
      break;
  }
  return Flow::all;
}

std::uint32_t members_of(const CollectiveStep& collective) {
  return static_cast<std::uint32_t>(collective.members->size());
}

}  // namespace

std::uint32_t CollectiveGates::expected(const CollectiveStep& collective, const OwnMembers& own) {
  switch (flow_of(collective.pattern)) {
    case Flow::from_root:
      return own.root ? own.count : own.count + 1;
    case Flow::to_root:
      return own.root ? members_of(collective) : own.count;
    case Flow::prefix:
    case Flow::all:
      break;
  }
  return members_of(collective);
}

const std::vector<Leave>& CollectiveGates::arrive(std::uint32_t index,
                                                  const CollectiveStep& collective,
                                                  std::uint32_t member, const Leave& who,
                                                  double cost_s, const OwnMembers& own,
                                                  Arrived& tell) {
  leaving_.clear();
  tell = {};
  Gate& gate = gates_[index];
  gate.latest = gate.arrived == 0 ? who.time : std::max(gate.latest, who.time);
  const bool last = ++gate.arrived == expected(collective, own);
  const bool last_own = ++gate.own == own.count;
  switch (flow_of(collective.pattern)) {
    case Flow::from_root:
      from_root(gate, member == collective.root, who, cost_s);
      if (member == collective.root) tell = {member, 1, who.time};
      break;
    case Flow::to_root:
      (member == collective.root ? gate.waiting : leaving_).push_back(who);
      if (last && own.root) all_leave(gate, gate.latest + cost_s);
      if (last && !own.root) tell = {member, own.count, gate.latest};
      break;
    case Flow::prefix:
      prefix(gate, members_of(collective), member, who, cost_s);
      tell = {member, 1, who.time};
      break;
    case Flow::all:
      gate.waiting.push_back(who);
      // What came from elsewhere may be later: the others know of it, too.
      if (last_own) tell = {member, own.count, gate.latest};
      if (last) all_leave(gate, gate.latest + cost_s);
      break;
  }
  if (last) gates_.erase(index);
  return leaving_;
}

const std::vector<Leave>& CollectiveGates::arrive_elsewhere(std::uint32_t index,
                                                            const CollectiveStep& collective,
                                                            const Arrived& arrived,
                                                            std::uint32_t nobody, double cost_s,
                                                            const OwnMembers& own) {
  leaving_.clear();
  const Flow flow = flow_of(collective.pattern);
  if (own.count == 0 || (flow == Flow::to_root && !own.root)) return leaving_;
  Gate& gate = gates_[index];
  gate.latest = gate.arrived == 0 ? arrived.time : std::max(gate.latest, arrived.time);
  gate.arrived += arrived.count;
  const bool last = gate.arrived == expected(collective, own);
  switch (flow) {
    case Flow::from_root:
      gate.root_arrived = true;
      gate.root_time = arrived.time;
      all_leave_after_root(gate, cost_s);
      break;
    case Flow::prefix:
      prefix(gate, members_of(collective), arrived.member, {0, nobody, arrived.time}, cost_s);
      break;
    case Flow::to_root:
    case Flow::all:
      if (last) all_leave(gate, gate.latest + cost_s);
      break;
  }
  if (last) gates_.erase(index);
  return leaving_;
}

void CollectiveGates::all_leave(Gate& gate, double time) {
  for (const Leave& waiting : gate.waiting) {
    leaving_.push_back({waiting.rank, waiting.target, time});
  }
  gate.waiting.clear();
}

void CollectiveGates::all_leave_after_root(Gate& gate, double cost_s) {
  for (const Leave& waiting : gate.waiting) {
    leaving_.push_back(
        {waiting.rank, waiting.target, std::max(waiting.time, gate.root_time) + cost_s});
  }
  gate.waiting.clear();
}

void CollectiveGates::from_root(Gate& gate, bool is_root, const Leave& who, double cost_s) {
  if (is_root) {
    gate.root_arrived = true;
    gate.root_time = who.time;
  }
  gate.waiting.push_back(who);
  if (gate.root_arrived) all_leave_after_root(gate, cost_s);
}

void CollectiveGates::prefix(Gate& gate, std::uint32_t members, std::uint32_t member,
                             const Leave& who, double cost_s) {
  gate.waiting.resize(members);
  gate.here.resize(members);
  gate.waiting[member] = who;
  gate.here[member] = 1;
  for (; gate.complete < members && gate.here[gate.complete] != 0; ++gate.complete) {
    const Leave& waiting = gate.waiting[gate.complete];
    gate.root_time = gate.complete == 0 ? waiting.time : std::max(gate.root_time, waiting.time);
    leaving_.push_back({waiting.rank, waiting.target, gate.root_time + cost_s});
  }
}

}  // namespace plait::replay
