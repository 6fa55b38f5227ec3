// SPDX-License-Identifier: BSD-3-Clause
// Which sends depend on the end of which receives from any source.
#include "check/causal_order.hpp"

#include <algorithm>

#include "check/collective_flow.hpp"

namespace plait::check {
namespace {

constexpr std::uint64_t kMostWork = 4'000'000'000;  // clock entries: some seconds

bool is_from_any(const plait_check_op& op) {
  return op.kind == PLAIT_CHECK_RECEIVE && op.peer == PLAIT_CHECK_ANY;
}

}  // namespace

CausalOrder::CausalOrder(const Job& job, const Collectives& collectives,
                         const std::vector<std::vector<OpRef>>& partners)
    : job_(job), partners_(partners), component_(job.processes.size(), kNone) {
  find_receivers();
  if (receivers_.empty()) return;
  check_knowledge();
  if (!is_known()) return;
  clocks_.assign(job.processes.size(), Clock(receivers_.size(), 0));
  Rerun rerun(job, collectives, partners, Sends::buffered, this);
  rerun.run();
  for (std::size_t lane = 0; lane < rerun.lanes(); ++lane) {
    if (rerun.blocked_on(lane) != kNoOp) {
      why_not_ = "the order of the calls is not fully known";
    }
  }
  in_flight_.clear();
  calls_.clear();
}

void CausalOrder::find_receivers() {
  for (std::uint32_t process = 0; process < job_.processes.size(); ++process) {
    const auto& ops = job_.processes[process].ops;
    bool receives = false;
    for (std::uint32_t i = 0; i < ops.size() && !receives; ++i) {
      receives = is_from_any(ops[i]) && partners_[process][i] != kNoOp;
    }
    if (!receives) continue;
    component_[process] = static_cast<std::uint32_t>(receivers_.size());
    receivers_.push_back(process);
  }
}

void CausalOrder::check_knowledge() {
  std::uint64_t operations = 0;
  for (const Process& process : job_.processes) {
    operations += process.ops.size();
    std::vector<bool> is_window(process.functions.size());
    for (std::size_t i = 0; i < is_window.size(); ++i) {
      is_window[i] = process.functions[i].starts_with("MPI_Win_");
    }
    for (const plait_check_op& at : process.ops) {
      if (at.thread != process.ops.front().thread) {
        why_not_ = "several threads of a rank communicate";
      }
      if (at.function < is_window.size() && is_window[at.function]) {
        why_not_ = "the program also uses one-sided communication";
      }
    }
  }
  if (operations * receivers_.size() > kMostWork) why_not_ = "there are too many operations";
}

void CausalOrder::join(Clock& into, const Clock& from) const {
  if (from.empty()) return;
  into.resize(receivers_.size(), 0);
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
}

CausalOrder::CallClock* CausalOrder::clock_of_call(OpRef ref, bool make) {
  const std::pair key{job_.processes[ref.process].key_of(op(ref)), op(ref).ordinal};
  if (make) return &calls_[key];
  const auto at = calls_.find(key);
  return at == calls_.end() ? nullptr : &at->second;
}

bool CausalOrder::is_synchronous(OpRef ref) const {
  return is_synchronous_send(job_.processes[ref.process].function(op(ref).function));
}

void CausalOrder::posted(OpRef ref) {
  Clock& clock = clocks_[ref.process];
  if (is_receiver(ref.process)) ++clock[component_[ref.process]];
  const plait_check_op& at = op(ref);
  if (at.kind == PLAIT_CHECK_COLLECTIVE) {
    if (CallClock* call = clock_of_call(ref, true)) {
      join(call->all, clock);
      const trace::Communicator* comm = job_.processes[ref.process].comm_of(at);
      if (comm != nullptr && at.peer == comm->my_rank) call->root = clock;
    }
    return;
  }
  const OpRef partner = partners_[ref.process][ref.op];
  if (partner == kNoOp) return;
  // A send learns of its receive only if it waits for it.
  if (at.kind == PLAIT_CHECK_SEND || is_synchronous(partner)) in_flight_[ref] = clock;
  if (at.kind == PLAIT_CHECK_SEND && is_receiver(partner.process)) {
    known_[ref] = clock[component_[partner.process]];
  }
}

void CausalOrder::ended(OpRef ref) {
  Clock& clock = clocks_[ref.process];
  const plait_check_op& at = op(ref);
  const Process& process = job_.processes[ref.process];
  if (at.kind == PLAIT_CHECK_COLLECTIVE) {
    const Flow flow = flow_of(process.function(at.function));
    const trace::Communicator* comm = process.comm_of(at);
    CallClock* call = clock_of_call(ref, false);
    if (call == nullptr || comm == nullptr) return;
    const bool is_root = at.peer == comm->my_rank;
    if (flow == Flow::from_root) {
      join(clock, call->root);
    } else if (flow != Flow::to_root || is_root) {
      join(clock, call->all);
    }
    if (++call->ended == comm->members.size() + comm->remote_members.size()) {
      calls_.erase({process.key_of(at), at.ordinal});
    }
  }
  const OpRef partner = partners_[ref.process][ref.op];
  if (partner != kNoOp) {
    const bool learns = at.kind == PLAIT_CHECK_RECEIVE || is_synchronous(ref);
    const auto from = in_flight_.find(partner);
    if (from != in_flight_.end()) {
      if (learns) join(clock, from->second);
      in_flight_.erase(from);
    }
  }
  if (!is_receiver(ref.process)) return;
  ++clock[component_[ref.process]];
  if (is_from_any(at)) ends_[ref] = clock[component_[ref.process]];
}

bool CausalOrder::is_before(OpRef receive, OpRef send) const {
  const auto end = ends_.find(receive);
  const auto known = known_.find(send);
  // Without an observed end, nothing is certain.
  return end == ends_.end() || known == known_.end() || known->second >= end->second;
}

}  // namespace plait::check
