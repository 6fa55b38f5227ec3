// SPDX-License-Identifier: BSD-3-Clause
// The discrete-event engine: messages are posted, cross cards and arrive; collectives run as
// dependencies, or as agents that send messages.
//
// Rendezvous (a message longer than the eager limit, or a synchronous send): a request goes to the
// receiver (L); when the receive is posted, an answer comes back (L); then the data follow.
// Measured one-way times contain this. If messages progress in calls only, the data start to move
// when both sides are inside MPI.
#include <algorithm>
#include <utility>

#include "replay/engine.hpp"
#include "replay/path_cost.hpp"

namespace plait::replay {

using std::uint32_t;
using trace::kNone;

namespace {

/// When the data may leave: the request has arrived, the receive is posted, the answer is back.
double rendezvous(const Path& on, double sent, double received) {
  const double one_way = on.handshake ? on.latency_s : 0;
  return std::max(sent + one_way, received) + one_way;
}

}  // namespace

const Path& Engine::path(const Envelope& envelope) const {
  if (envelope.space == kSignals) return no_cost_;
  return nodes_[envelope.source] == nodes_[envelope.destination] ? network_.within_node
                                                                 : network_.between_nodes;
}

uint32_t Engine::card(uint32_t rank, const Envelope& envelope) const {
  if (nodes_[envelope.source] == nodes_[envelope.destination]) return rank;
  const auto own = static_cast<uint32_t>(ranks_.size());
  return own + (network_.shared_cards ? nodes_[rank] : rank);
}

bool Engine::in_call(uint32_t rank, double time) const {
  const RankState& state = ranks_[rank];
  return state.blocked == Blocked::in_call || state.blocked == Blocked::on_request ||
         state.in_call_until >= time;
}

void Engine::send(uint32_t rank, const Step& step) {
  RankState& state = ranks_[rank];
  const Envelope envelope{rank, step.partner, step.tag, 0};
  busy(rank, overhead(path(envelope), step.bytes));
  const bool blocking = step.kind == StepKind::send;
  if (blocking) state.blocked = Blocked::in_call;
  if (!blocking && step.request != kNobody) request(rank, step.request) = {kForever, 0};
  const uint32_t target = blocking ? kBlockedRank : step.request;
  const double time = state.now;
  if (!is_own(step.partner)) {
    Post post;
    post.envelope = envelope;
    post.bytes = step.bytes;
    post.time = time;
    post.synchronous = step.synchronous;
    post.buffered = step.buffered;
    part_->tell(step.partner, post);
  }
  if (post_send(envelope, step.bytes, time, step, target)) notify(rank, target, time, 0);
}

void Engine::receive(uint32_t rank, const Step& step) {
  const Envelope envelope{step.partner, rank, step.tag, 0};
  const bool blocking = step.kind == StepKind::receive;
  if (blocking) ranks_[rank].blocked = Blocked::in_call;
  if (!blocking && step.request != kNobody) request(rank, step.request) = {kForever, 0};
  const double time = ranks_[rank].now;
  if (!is_own(step.partner)) {
    Post post;
    post.kind = PostKind::receive;
    post.envelope = envelope;
    post.time = time;
    part_->tell(step.partner, post);
  }
  post_receive(envelope, time, blocking ? kBlockedRank : step.request);
}

bool Engine::post_send(const Envelope& envelope, std::uint64_t bytes, double time, const Step& how,
                       uint32_t target) {
  if (envelope.space != kSignals && is_own(envelope.source)) ++result_.messages;
  const Path& on = path(envelope);
  const bool eager = how.buffered || (!how.synchronous && bytes <= on.eager_limit);
  uint32_t index = transfers_.take_received(envelope);
  const bool received = index != kNone;
  if (!received) index = transfers_.make(envelope);
  Transfer& transfer = transfers_[index];
  transfer.bytes = bytes;
  transfer.sent = true;
  transfer.eager = eager;
  transfer.sender = eager ? kNobody : target;
  const double receive_time = transfer.time;
  if (!received) {
    transfer.time = time;
    transfers_.wait(index);
  }
  if (eager) {
    begin_when_ready(index, time);
  } else if (received) {
    begin_when_ready(index, rendezvous(on, time, receive_time));
  }
  return eager;
}

void Engine::post_receive(const Envelope& envelope, double time, uint32_t target) {
  const uint32_t index = transfers_.take_sent(envelope);
  if (index == kNone) {
    const uint32_t made = transfers_.make(envelope);
    transfers_[made].time = time;
    transfers_[made].received = true;
    transfers_[made].receiver = target;
    transfers_.wait(made);
    return;
  }
  Transfer& transfer = transfers_[index];
  transfer.received = true;
  transfer.receiver = target;
  if (transfer.delivered) return delivered(index, transfer.time);
  if (transfer.eager) return;
  begin_when_ready(index, rendezvous(path(envelope), transfer.time, time));
}

void Engine::begin_when_ready(uint32_t transfer, double ready) {
  if (ready > clock_) {
    heap_.push({ready, transfer, EventType::inject});
  } else {
    begin_when_in_calls(transfer, ready);
  }
}

void Engine::begin_when_in_calls(uint32_t transfer, double time) {
  if (network_.progress == Progress::in_call && !transfers_[transfer].eager) {
    const Envelope& envelope = transfers_[transfer].envelope;
    for (const uint32_t rank : {envelope.source, envelope.destination}) {
      if (in_call(rank, time)) continue;
      transfers_[transfer].next = std::exchange(ranks_[rank].stalled, transfer);
      return;
    }
  }
  inject(transfer, time);
}

void Engine::inject(uint32_t index, double time) {
  const Envelope envelope = transfers_[index].envelope;
  const std::uint64_t bytes = transfers_[index].bytes;
  const Path& on = path(envelope);
  const double work = occupancy(on, bytes);
  if (work + on.gap_s <= 0) {
    sender_done(index, time);
    delivered(index, time + latency(on, bytes));
    return;
  }
  const uint32_t out = card(envelope.source, envelope);
  if (flows_) {
    const uint32_t in = card(envelope.destination, envelope);
    flows_->start(out, in, work, index, time, heap_);
    return;
  }
  const double start = std::max(time, card_out_free_[out]);
  card_out_free_[out] = start + on.gap_s + work;
  sender_done(index, start + work);
  heap_.push({start + latency(on, bytes), index, EventType::arrive});
}

void Engine::arrive(uint32_t index, double time) {
  const Envelope envelope = transfers_[index].envelope;
  const Path& on = path(envelope);
  const double work = occupancy(on, transfers_[index].bytes);
  double& free_from = card_in_free_[card(envelope.destination, envelope)];
  const double start = std::max(time, free_from);
  free_from = start + on.gap_s + work;
  delivered(index, start + work);
}

void Engine::sender_done(uint32_t index, double time) {
  const Transfer& transfer = transfers_[index];
  if (!transfer.eager) notify(transfer.envelope.source, transfer.sender, time, 0);
}

void Engine::delivered(uint32_t index, double time) {
  Transfer& transfer = transfers_[index];
  if (!transfer.received) {
    transfer.delivered = true;
    transfer.time = time;
    return;
  }
  const Envelope envelope = transfer.envelope;
  const uint32_t receiver = transfer.receiver;
  const double overhead_s = overhead(path(envelope), transfer.bytes);
  transfers_.release(index);
  notify(envelope.destination, receiver, time, overhead_s);
}

void Engine::collective(uint32_t rank, const Step& step) {
  RankState& state = ranks_[rank];
  const bool blocking = step.kind == StepKind::collective;
  const uint32_t target = blocking ? kBlockedRank : step.request;
  if (blocking) state.blocked = Blocked::in_call;
  if (!blocking && target != kNobody) request(rank, target) = {kForever, 0};
  const CollectiveStep of = program_.collective(step.collective);
  if (network_.collectives != Collectives::algorithms) {
    arrive_at_gate(rank, step, of, target);
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

double Engine::gate_cost(const CollectiveStep& of) const {
  return network_.collectives == Collectives::curve
             ? interpolate(network_.collective_curve, of.bytes)
             : 0;
}

void Engine::arrive_at_gate(uint32_t rank, const Step& step, const CollectiveStep& of,
                            uint32_t target) {
  const OwnMembers own = part_ == nullptr
                             ? OwnMembers{static_cast<uint32_t>(of.members->size()), true}
                             : part_->own_members(of);
  Arrived arrived;
  const std::vector<Leave>& leaving =
      gates_.arrive(step.collective, of, step.partner, {rank, target, ranks_[rank].now},
                    gate_cost(of), own, arrived);
  if (part_ != nullptr && arrived.count > 0) {
    Post post;
    post.kind = PostKind::arrival;
    post.arrived = arrived;
    post.index = step.collective;
    part_->tell_others(*of.members, post);
  }
  for (const Leave& leave : leaving) notify(leave.rank, leave.target, leave.time, 0);
}

void Engine::take(const Post& post) {
  if (post.kind == PostKind::receive) return post_receive(post.envelope, post.time, kNobody);
  if (post.kind == PostKind::send) {
    Step how;
    how.synchronous = post.synchronous;
    how.buffered = post.buffered;
    post_send(post.envelope, post.bytes, post.time, how, kNobody);
    return;
  }
  const CollectiveStep of = program_.collective(post.index);
  for (const Leave& leave : gates_.arrive_elsewhere(post.index, of, post.arrived, kNobody,
                                                    gate_cost(of), part_->own_members(of))) {
    notify(leave.rank, leave.target, leave.time, 0);
  }
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
  // The reference stays valid: posting messages may wake other ranks but creates no agents.
  Agent& agent = agents_[index];
  const uint32_t rank = agent.rank;
  Round round;
  while (true) {
    if (network_.progress == Progress::in_call && !in_call(rank, agent.now)) {
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
      heap_.push({agent.now, index, EventType::agent});
      return;
    }
  }
  const uint32_t target = agent.target;
  const double done = agent.now;
  agent.next = std::exchange(free_agent_, index);
  notify(rank, target, done, 0);
}

}  // namespace plait::replay
