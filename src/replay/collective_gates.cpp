// SPDX-License-Identifier: BSD-3-Clause
// Replays collectives as dependencies between their members, without messages.
#include "replay/collective_gates.hpp"

#include <algorithm>

namespace plait::replay {

const std::vector<Leave>& CollectiveGates::arrive(std::uint32_t index,
                                                  const CollectiveStep& collective,
                                                  std::uint32_t member, const Leave& who,
                                                  double cost_s) {
  leaving_.clear();
  const auto members = static_cast<std::uint32_t>(collective.members->size());
  Gate& gate = gates_[index];
  gate.latest = gate.arrived == 0 ? who.time : std::max(gate.latest, who.time);
  const bool last = ++gate.arrived == members;
  switch (collective.pattern) {
    case Pattern::broadcast:
    case Pattern::scatter:
      from_root(gate, member == collective.root, who, cost_s);
      break;
    case Pattern::reduce:
    case Pattern::gather:
      to_root(gate, member == collective.root, last, who, cost_s);
      break;
    case Pattern::scan:
      prefix(gate, members, member, who, cost_s);
      break;
    case Pattern::barrier:
    case Pattern::allreduce:
    case Pattern::allgather:
    case Pattern::alltoall:
    case Pattern::reduce_scatter:
      gate.waiting.push_back(who);
      if (!last) break;
      leaving_.swap(gate.waiting);
      for (Leave& leave : leaving_) leave.time = gate.latest + cost_s;
      break;
  }
  if (last) gates_.erase(index);
  return leaving_;
}

void CollectiveGates::from_root(Gate& gate, bool is_root, const Leave& who, double cost_s) {
  const auto leave = [&](const Leave& waiting) {
    leaving_.push_back(
        {waiting.rank, waiting.target, std::max(waiting.time, gate.root_time) + cost_s});
  };
  if (is_root) {
    gate.root_arrived = true;
    gate.root_time = who.time;
    leave(who);
    for (const Leave& waiting : gate.waiting) leave(waiting);
    gate.waiting.clear();
  } else if (gate.root_arrived) {
    leave(who);
  } else {
    gate.waiting.push_back(who);
  }
}

void CollectiveGates::to_root(Gate& gate, bool is_root, bool last, const Leave& who,
                              double cost_s) {
  if (is_root) {
    gate.waiting.push_back(who);
  } else {
    leaving_.push_back(who);
  }
  if (last && !gate.waiting.empty()) {
    const Leave& root = gate.waiting.front();
    leaving_.push_back({root.rank, root.target, gate.latest + cost_s});
  }
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
