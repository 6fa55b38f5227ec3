// SPDX-License-Identifier: BSD-3-Clause
// Builds the wait-for graph from the open calls of a job and finds its deadlocks.
#include "check/waiting.hpp"

#include <algorithm>
#include <utility>

#include "check/deadlock_finding.hpp"

namespace plait::check {
namespace {

/// The clauses of an operation.
struct Demand {
  bool met = false;  ///< it needs no other rank, or what it waits for is unknown
  std::vector<Clause> clauses;
};

class Builder {
public:
  Builder(const Job& job, const Messages& messages, const Collectives& collectives)
      : job_(job), messages_(messages), collectives_(collectives) {
    waiting_.graph.ranks = job.world_size;
    waiting_.graph.ended.assign(static_cast<std::size_t>(job.world_size), false);
  }

  Waiting build() {
    for (std::uint32_t process = 0; process < job_.processes.size(); ++process) add(process);
    return std::move(waiting_);
  }

private:
  void add(std::uint32_t process) {
    const Process& own = job_.processes[process];
    if (own.finalized == 2 || own.state == PLAIT_STATE_EXITED) {
      waiting_.graph.ended[static_cast<std::size_t>(own.rank)] = true;
      return;
    }
    for (std::uint32_t i = 0; i < own.threads.size(); ++i) {
      const plait_check_thread& thread = own.threads[i];
      if (thread.alive == 0) continue;
      OpenCall call{process, i, thread.sequence, own.is_polling(i), {}};
      if (call.polls) call.sequence = thread.progress;
      waiting_.graph.threads.push_back(
          {own.rank, call.polls ? clauses_of_polls(process, thread.polls, call.ops)
                                : clauses_of(process, thread, call.ops)});
      waiting_.calls.push_back(std::move(call));
    }
  }

  /// `ops` receives the operation of each clause.
  std::vector<Clause> clauses_of(std::uint32_t process, const plait_check_thread& thread,
                                 std::vector<std::uint32_t>& ops) const {
    if (thread.sequence % 2 == 0) return {};
    if (thread.wait == PLAIT_CHECK_WAIT_FINALIZE) return for_all_to_finalize(process);
    const bool any = thread.wait == PLAIT_CHECK_WAIT_ANY;
    if (!any && thread.wait != PLAIT_CHECK_WAIT_ALL) return {};
    const std::uint32_t listed = std::min<std::uint32_t>(thread.waited, PLAIT_CHECK_WAITED);
    // An unknown operation may be the one that ends.
    if (any && (thread.unknown > 0 || listed < thread.waited)) return {};
    std::vector<Clause> all;
    Clause either;
    for (std::uint32_t i = 0; i < listed; ++i) {
      const Demand demand = demand_of(process, thread.ops[i]);
      if (any && demand.met) return {};
      for (const Clause& clause : demand.clauses) {
        if (ops.empty() || !any) ops.push_back(thread.ops[i]);
        if (any) {
          either.insert(either.end(), clause.begin(), clause.end());
        } else {
          all.push_back(clause);
        }
      }
    }
    if (any && !either.empty()) all.push_back(either);
    return all;
  }

  /// One of the ranks from which something that the thread polls for could come.
  std::vector<Clause> clauses_of_polls(std::uint32_t process, const plait_check_polls& polls,
                                       std::vector<std::uint32_t>& ops) const {
    if (polls.unknown != 0 || polls.polled > PLAIT_CHECK_WAITED ||
        polls.probed > PLAIT_CHECK_PROBED) {
      return {};
    }
    Clause either;
    const auto add = [&](const Demand& demand) {
      for (const Clause& clause : demand.clauses) {
        either.insert(either.end(), clause.begin(), clause.end());
      }
      return !demand.met;
    };
    for (std::uint32_t i = 0; i < polls.polled; ++i) {
      const Demand demand = demand_of(process, polls.ops[i]);
      if (!demand.clauses.empty() && ops.empty()) ops.push_back(polls.ops[i]);
      if (!add(demand)) return {};
    }
    for (std::uint32_t i = 0; i < polls.probed; ++i) {
      plait_check_op probe{};
      probe.kind = PLAIT_CHECK_PROBE;
      probe.comm = polls.probes[i].comm;
      probe.peer = polls.probes[i].peer;
      probe.tag = polls.probes[i].tag;
      if (!add(demand_of(process, probe, messages_.may_come(process, probe)))) return {};
    }
    return either.empty() ? std::vector<Clause>{} : std::vector<Clause>{either};
  }

  std::vector<Clause> for_all_to_finalize(std::uint32_t process) const {
    std::vector<Clause> clauses;
    for (const Process& other : job_.processes) {
      if (other.finalized == 0 && other.rank != job_.processes[process].rank) {
        clauses.push_back({other.rank});
      }
    }
    return clauses;
  }

  Demand demand_of(std::uint32_t process, std::uint32_t index) const {
    const Process& own = job_.processes[process];
    if (index >= own.ops.size()) return {true, {}};
    const plait_check_op& op = own.ops[index];
    if (op.state != PLAIT_CHECK_OPEN || !own.is_comparable(op) || op.peer == PLAIT_CHECK_NULL) {
      return {true, {}};
    }
    if (op.kind == PLAIT_CHECK_COLLECTIVE) {
      Demand demand;
      for (const int rank : collectives_.absent(process, index)) demand.clauses.push_back({rank});
      demand.met = demand.clauses.empty();
      if (collectives_.may_progress(process, index)) return {true, {}};
      return demand;
    }
    const bool message = op.kind == PLAIT_CHECK_SEND || op.kind == PLAIT_CHECK_RECEIVE ||
                         op.kind == PLAIT_CHECK_PROBE;
    if (!message || (op.flags & PLAIT_CHECK_BUFFERED) != 0 ||
        (op.flags & PLAIT_CHECK_MATCHED) != 0) {
      return {true, {}};
    }
    return demand_of(process, op, messages_.has_partner(process, index));
  }

  /// Of a send, receive or probe.
  Demand demand_of(std::uint32_t process, const plait_check_op& op, bool has_partner) const {
    const Process& own = job_.processes[process];
    const trace::Communicator* comm = own.comm_of(op);
    if (has_partner || !own.is_comparable(op) || op.peer == PLAIT_CHECK_NULL) return {true, {}};
    if (op.peer == PLAIT_CHECK_ANY) {
      return {false,
              {(comm->remote_members.empty() ? comm->members : comm->remote_members).to_vector()}};
    }
    const int partner = own.world_rank(op, op.peer);
    if (partner < 0) return {true, {}};
    return {false, {{partner}}};
  }

  const Job& job_;
  const Messages& messages_;
  const Collectives& collectives_;
  Waiting waiting_;
};

}  // namespace

Waiting waiting_of(const Job& job, const Messages& messages, const Collectives& collectives) {
  return Builder(job, messages, collectives).build();
}

std::optional<Deadlock> find_deadlock(const Job& job) {
  if (!job.comparable) return std::nullopt;
  const Messages messages(job);
  const Collectives collectives(job);
  const Waiting waiting = waiting_of(job, messages, collectives);
  const std::vector<std::size_t> stuck = deadlocked(waiting.graph);
  if (stuck.empty()) return std::nullopt;
  Deadlock deadlock;
  deadlock.finding = deadlock_finding(job, messages, collectives, waiting, stuck);
  for (const std::size_t thread : stuck) deadlock.calls.push_back(waiting.calls[thread]);
  return deadlock;
}

std::vector<OpenCall> differing_calls(const Job& job) {
  std::vector<OpenCall> open;
  if (!job.comparable) return open;
  const Collectives collectives(job);
  const auto waits_in_differing = [&](std::uint32_t process, const plait_check_thread& thread) {
    const auto& ops = job.processes[process].ops;
    const std::uint32_t listed = std::min<std::uint32_t>(thread.waited, PLAIT_CHECK_WAITED);
    return std::any_of(thread.ops, thread.ops + listed, [&](std::uint32_t index) {
      return index < ops.size() && ops[index].kind == PLAIT_CHECK_COLLECTIVE &&
             ops[index].state == PLAIT_CHECK_OPEN && collectives.differs(process, index);
    });
  };
  bool differs = false;
  for (std::uint32_t process = 0; process < job.processes.size(); ++process) {
    const Process& own = job.processes[process];
    if (own.finalized == 2 || own.state == PLAIT_STATE_EXITED) continue;
    for (std::uint32_t i = 0; i < own.threads.size(); ++i) {
      const plait_check_thread& thread = own.threads[i];
      if (thread.alive == 0) continue;
      if (thread.sequence % 2 == 0) return {};
      open.push_back({process, i, thread.sequence, false, {}});
      differs = differs || waits_in_differing(process, thread);
    }
  }
  return differs ? open : std::vector<OpenCall>{};
}

}  // namespace plait::check
