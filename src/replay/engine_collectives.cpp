// SPDX-License-Identifier: BSD-3-Clause
// The discrete-event engine: collectives, as dependencies or as agents that run an algorithm.
#include <algorithm>
#include <utility>

#include "replay/engine.hpp"
#include "replay/path_cost.hpp"

namespace plait::replay {

using std::uint32_t;
using trace::kNone;

void Engine::collective(uint32_t rank, const Step& step) {
  RankState& state = ranks_[rank];
  const bool blocking = step.kind == StepKind::kCollective;
  const uint32_t target = blocking ? kBlockedRank : step.request;
  if (blocking) state.blocked = Blocked::kInCall;
  if (!blocking && target != kNobody) request(rank, target) = {kForever, 0};
  const CollectiveStep of = program_.collective(step.collective);
  if (network_.collectives != Collectives::kAlgorithms) {
    const double cost = network_.collectives == Collectives::kCurve
                            ? interpolate(network_.collective_curve, of.bytes)
                            : 0;
    for (const Leave& leave :
         gates_.arrive(step.collective, of, step.partner, {rank, target, state.now}, cost)) {
      tell(leave.rank, leave.target, leave.time, 0);
    }
    return;
  }
  const uint32_t index = make_agent();
  Agent& agent = agents_[index];
  agent.member = {of.pattern, static_cast<uint32_t>(of.members->size()), step.partner, of.root,
                  of.bytes};
  agent.ranks = of.members;
  agent.now = state.now;
  agent.rank = rank;
  agent.space = step.collective + 1;
  agent.target = target;
  run_agent(index);
}

uint32_t Engine::make_agent() {
  if (free_agent_ == kNone) {
    agents_.emplace_back();
    return static_cast<uint32_t>(agents_.size() - 1);
  }
  const uint32_t agent = free_agent_;
  free_agent_ = agents_[agent].next;
  agents_[agent] = Agent{};
  return agent;
}

void Engine::run_agent(uint32_t index) {
  // No reference is kept: what is posted may wake other ranks, but makes no agents.
  Agent& agent = agents_[index];
  const uint32_t rank = agent.rank;
  Round round;
  while (true) {
    if (network_.progress == Progress::kInCall && !in_call(rank, agent.now)) {
      agent.next = std::exchange(ranks_[rank].parked, index);
      return;
    }
    if (!round_of(agent.member, agent.round, round)) break;
    ++agent.round;
    ++result_.events;
    agent.outstanding = 1;
    const double begin = agent.now;
    if (round.receive_from != kNone) {
      ++agent.outstanding;
      post_receive({(*agent.ranks)[round.receive_from], rank, round.tag, agent.space}, begin,
                   index | kAgentBit);
    }
    if (round.send_to != kNone) {
      const Envelope envelope{rank, (*agent.ranks)[round.send_to], round.tag, agent.space};
      const double overhead_s = overhead(path(envelope), round.send_bytes);
      agent.now = std::max(agent.now, begin + overhead_s);
      result_.ranks[rank].overhead += overhead_s;
      ++agent.outstanding;
      if (post_send(envelope, round.send_bytes, begin + overhead_s, Step{}, index | kAgentBit)) {
        --agent.outstanding;
      }
    }
    if (--agent.outstanding > 0) return;
    if (agent.now > clock_) {
      heap_.push({agent.now, index, EventType::kAgent});
      return;
    }
  }
  const uint32_t target = agent.target;
  const double done = agent.now;
  agent.next = std::exchange(free_agent_, index);
  tell(rank, target, done, 0);
}

}  // namespace plait::replay
