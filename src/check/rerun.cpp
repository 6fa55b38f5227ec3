// SPDX-License-Identifier: BSD-3-Clause
// Executes the logged operations of a job once more, each thread in its own order.
#include "check/rerun.hpp"

#include <algorithm>

namespace plait::check {

bool is_synchronous_send(const std::string& function) {
  return function.starts_with("MPI_Ssend") || function.starts_with("MPI_Issend");
}

Rerun::Rerun(const Job& job, const Collectives& collectives,
             const std::vector<std::vector<OpRef>>& partners, Sends sends, RerunObserver* observer)
    : job_(job),
      collectives_(collectives),
      partners_(partners),
      sends_(sends),
      observer_(observer) {
  for (const Process& process : job.processes) {
    posted_.emplace_back(process.ops.size(), false);
    freed_.emplace_back(process.ops.size(), false);
    call_of_.emplace_back(process.ops.size(), 0);
  }
  make_lanes();
  make_calls();
}

void Rerun::make_lanes() {
  const auto lane = [&](std::uint32_t process, std::uint32_t thread) -> Lane& {
    const auto [at, is_new] = lane_of_.try_emplace(lane_key(process, thread), lanes_.size());
    if (is_new) lanes_.emplace_back().process = process;
    return lanes_[at->second];
  };
  for (std::uint32_t process = 0; process < job_.processes.size(); ++process) {
    const auto& ops = job_.processes[process].ops;
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      lane(process, ops[i].thread).ops.push_back(i);
      const bool waits = sends_ == Sends::buffered || (ops[i].flags & PLAIT_CHECK_AWAITED) != 0;
      if (ops[i].ended_by != 0 && waits && ops[i].state != PLAIT_CHECK_FAILED) {
        lane(process, ops[i].ended_by - 1).waits.push_back({ops[i].ended_after, i});
      }
    }
  }
  for (Lane& one : lanes_) std::ranges::stable_sort(one.waits, {}, &Wait::after);
  for (std::size_t i = 0; i < lanes_.size(); ++i) ready_.push_back(i);
}

void Rerun::make_calls() {
  for (const auto& [key, calls] : collectives_.calls()) {
    for (const Collectives::Call& members : calls) {
      if (members.empty()) continue;
      const OpRef first = members.front();
      const Process& process = job_.processes[first.process];
      const trace::Communicator* comm = process.comm_of(op(first));
      // Without all members, and between two groups, it is not known what a call needs.
      if (comm == nullptr || !comm->remote_members.empty() ||
          members.size() != comm->members.size()) {
        continue;
      }
      Call call{&members, flow_of(process.function(op(first).function)), kNoOp, 0};
      // What the call waits for is not known when its members differ.
      for (const OpRef member : members) {
        const Process& own = job_.processes[member.process];
        if (flow_of(own.function(op(member).function)) != call.flow) call.flow = Flow::none;
        if (const trace::Communicator* of = own.comm_of(op(member));
            of != nullptr && op(member).peer == of->my_rank) {
          call.root = member;
        }
      }
      const bool rooted = call.flow == Flow::from_root || call.flow == Flow::to_root;
      const bool skip_exchange = call.flow == Flow::exchange && sends_ == Sends::synchronous;
      if (call.flow == Flow::none || (rooted && call.root == kNoOp) || skip_exchange) continue;
      calls_.push_back(call);
      for (const OpRef member : members) {
        call_of_[member.process][member.op] = static_cast<std::uint32_t>(calls_.size());
      }
    }
  }
}

std::size_t Rerun::lane_of(OpRef ref) const {
  return lane_of_.at(lane_key(ref.process, op(ref).thread));
}

bool Rerun::waits_for_receive(OpRef send) const {
  const plait_check_op& at = op(send);
  if ((at.flags & PLAIT_CHECK_BUFFERED) != 0 || freed_[send.process][send.op]) return false;
  if (sends_ == Sends::synchronous) return true;
  return is_synchronous_send(job_.processes[send.process].function(at.function));
}

OpRef Rerun::needed_by(OpRef ref) const {
  const plait_check_op& at = op(ref);
  if (at.kind == PLAIT_CHECK_SEND || at.kind == PLAIT_CHECK_RECEIVE) {
    const OpRef partner = partners_[ref.process][ref.op];
    const bool waits = at.kind == PLAIT_CHECK_RECEIVE || waits_for_receive(ref);
    return waits && partner != kNoOp && !is_posted(partner) ? partner : kNoOp;
  }
  const std::uint32_t number = call_of_[ref.process][ref.op];
  if (at.kind != PLAIT_CHECK_COLLECTIVE || number == 0) return kNoOp;
  const Call& call = calls_[number - 1];
  if (can_end(ref)) return kNoOp;
  if (call.flow == Flow::from_root) return call.root;
  return *std::ranges::find_if(*call.members, [&](OpRef member) { return !is_posted(member); });
}

bool Rerun::can_end(OpRef ref) const {
  const std::uint32_t number = call_of_[ref.process][ref.op];
  if (number == 0) return needed_by(ref) == kNoOp;
  const Call& call = calls_[number - 1];
  if (call.flow == Flow::from_root) return is_posted(call.root);
  if (call.flow == Flow::to_root && ref != call.root) return true;
  return call.posted == call.members->size();
}

void Rerun::wake(OpRef ref) {
  const auto at = waiting_.find(ref);
  if (at == waiting_.end() || !can_end(ref)) return;
  ready_.insert(ready_.end(), at->second.begin(), at->second.end());
  waiting_.erase(at);
}

void Rerun::post(OpRef ref) {
  posted_[ref.process][ref.op] = true;
  if (observer_ != nullptr) observer_->posted(ref);
  if (const OpRef partner = partners_[ref.process][ref.op]; partner != kNoOp) wake(partner);
  const std::uint32_t number = call_of_[ref.process][ref.op];
  if (number == 0) return;
  Call& call = calls_[number - 1];
  ++call.posted;
  if (call.posted < call.members->size() && ref != call.root) return;
  for (const OpRef member : *call.members) wake(member);
}

void Rerun::advance(std::size_t number) {
  Lane& lane = lanes_[number];
  lane.blocked_on = kNoOp;
  for (;;) {
    const bool has_op = lane.next_op < lane.ops.size();
    if (lane.next_wait < lane.waits.size() &&
        (!has_op || lane.waits[lane.next_wait].after <= lane.ops[lane.next_op])) {
      const OpRef waited{lane.process, lane.waits[lane.next_wait].op};
      if (!can_end(waited)) {
        lane.blocked_on = waited;
        waiting_[waited].push_back(number);
        return;
      }
      ++lane.next_wait;
      if (observer_ != nullptr) observer_->ended(waited);
    } else if (has_op) {
      post({lane.process, lane.ops[lane.next_op++]});
    } else {
      return;
    }
  }
}

void Rerun::run() {
  while (!ready_.empty()) {
    const std::size_t lane = ready_.front();
    ready_.pop_front();
    advance(lane);
  }
}

void Rerun::release(OpRef send) {
  freed_[send.process][send.op] = true;
  wake(send);
}

}  // namespace plait::check
