// SPDX-License-Identifier: BSD-3-Clause
// The discrete-event engine: ranks step, wait and continue.
#include "replay/engine.hpp"

#include <algorithm>
#include <utility>

#include "plait/error.hpp"
#include "replay/path_cost.hpp"

namespace plait::replay {

using std::uint32_t;
using trace::kNone;

namespace {

/// True if messages wait for each other at a network card.
bool meet(const Network& network) {
  return contended(network.within_node) || contended(network.between_nodes);
}

/// True if the order in which ranks step does not matter: no card or memory is shared, and messages
/// do not depend on calls to move.
bool any_order(const Network& network) {
  return !meet(network) && network.progress != Progress::in_call && network.node_speedup.empty();
}

}  // namespace

bool Engine::may_divide(const Network& network) {
  return any_order(network) && network.collectives != Collectives::algorithms;
}

Engine::Engine(Program& program, const Network& network, const ReplayOptions& options, Part* part)
    : program_(program), network_(network), options_(options), part_(part) {
  const uint32_t ranks = program_.threads();
  ranks_.resize(ranks);
  result_.ranks.resize(ranks);
  nodes_.resize(ranks);
  for (uint32_t rank = 0; rank < ranks; ++rank) nodes_[rank] = program_.node_of(rank);
  check_paths();
  prepare();
}

void Engine::check_paths() const {
  std::vector<uint32_t> sorted(nodes_.begin(), nodes_.begin() + program_.ranks());
  std::sort(sorted.begin(), sorted.end());
  const bool shared = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  const bool several = !sorted.empty() && sorted.front() != sorted.back();
  if (shared && !network_.within_node.known) {
    throw Error(network_.name, "no path between two cores of a node was measured",
                "run plait measure, or set node.latency=... and node.bandwidth=...");
  }
  if (several && !network_.between_nodes.known) {
    throw Error(
        network_.name, "no network between nodes was measured",
        "describe a network (latency=2us,bandwidth=10GB/s), or place all ranks on one node");
  }
}

void Engine::prepare() {
  const auto ranks = static_cast<uint32_t>(ranks_.size());
  const uint32_t nodes = nodes_.empty() ? 0 : *std::max_element(nodes_.begin(), nodes_.end()) + 1;
  if (!network_.node_speedup.empty()) compute_.emplace(nodes, network_.node_speedup);
  any_order_ = any_order(network_);
  if (any_order_) clock_ = kForever;
  if (meet(network_)) {
    // First one card per rank for messages inside nodes, then the cards to the network.
    const uint32_t cards = ranks + (network_.shared_cards ? nodes : ranks);
    if (network_.sharing == Sharing::fair) {
      flows_.emplace(cards);
    } else {
      card_out_free_.assign(cards, -kForever);
      card_in_free_.assign(cards, -kForever);
    }
  }
  heap_.reserve(ranks);
  first_start_ = ranks == 0 ? 0 : kForever;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    ranks_[rank].now = program_.start_s(rank);
    ranks_[rank].in_call_until = ranks_[rank].now;
    first_start_ = std::min(first_start_, ranks_[rank].now);
    if (is_own(rank)) heap_.push({ranks_[rank].now, rank, EventType::rank});
  }
  if (options_.step_times != nullptr) {
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      if (is_own(rank)) (*options_.step_times)[rank].assign(program_.events(rank), {-1, -1});
    }
  }
  if (options_.step_lengths != nullptr) {
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      if (is_own(rank)) (*options_.step_lengths)[rank].assign(program_.events(rank), -1);
    }
  }
}

ReplayResult Engine::run() {
  go_on();
  return result();
}

void Engine::go_on() {
  while (!heap_.empty()) handle(heap_.pop());
}

ReplayResult Engine::result() {
  for (uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!is_own(rank)) continue;
    result_.ranks[rank].end = ranks_[rank].now - first_start_;
    result_.time_s = std::max(result_.time_s, result_.ranks[rank].end);
    if (ranks_[rank].blocked != Blocked::ended) result_.stuck.push_back(program_.rank_of(rank));
  }
  std::ranges::sort(result_.stuck);
  result_.stuck.erase(std::unique(result_.stuck.begin(), result_.stuck.end()), result_.stuck.end());
  const auto others = result_.ranks.begin() + program_.ranks();
  result_.other_threads.assign(others, result_.ranks.end());
  result_.ranks.erase(others, result_.ranks.end());
  result_.events += result_.messages;
  return std::move(result_);
}

void Engine::handle(const Event& event) {
  if (!any_order_) clock_ = event.time;
  switch (event.type) {
    case EventType::rank:
      run_rank(event.index);
      break;
    case EventType::agent:
      run_agent(event.index);
      break;
    case EventType::inject:
      begin_when_in_calls(event.index, event.time);
      break;
    case EventType::arrive:
      arrive(event.index, event.time);
      break;
    case EventType::flow: {
      const uint32_t transfer = flows_->end(event, heap_);
      if (transfer == kNone) break;
      const Envelope envelope = transfers_[transfer].envelope;
      const double on_its_way = latency(path(envelope), transfers_[transfer].bytes);
      sender_done(transfer, event.time);
      delivered(transfer, event.time + on_its_way);
      break;
    }
    case EventType::compute: {
      const uint32_t rank = compute_->end(event, heap_);
      if (rank == kNone) break;
      RankState& state = ranks_[rank];
      result_.ranks[rank].compute += event.time - state.now;
      state.now = event.time;
      state.blocked = Blocked::no;
      note_end(rank);
      run_rank(rank);
      break;
    }
  }
}

void Engine::run_rank(uint32_t rank) {
  RankState& state = ranks_[rank];
  running_ = rank;
  while (state.blocked == Blocked::no) {
    if (!any_order_) {
      if (!heap_.empty() && heap_.first().time < state.now) {
        heap_.push({state.now, rank, EventType::rank});
        break;
      }
      clock_ = state.now;
    }
    execute(rank, program_.next(rank));
  }
  running_ = kNone;
}

void Engine::execute(uint32_t rank, const Step& step) {
  RankState& state = ranks_[rank];
  if (step.kind == StepKind::end) {
    state.blocked = Blocked::ended;
    return;
  }
  ++result_.events;
  note_begin(rank, step.event);
  if (step.kind == StepKind::compute) return compute(rank, step);
  if (step.kind == StepKind::await) return await(rank, step);
  if (step.kind == StepKind::signal) {
    Step how;
    how.buffered = true;
    post_send({rank, step.partner, step.tag, kSignals}, 0, state.now, how, kNobody);
    return;
  }
  enter_call(rank);
  switch (step.kind) {
    case StepKind::send:
    case StepKind::isend:
      send(rank, step);
      break;
    case StepKind::receive:
    case StepKind::ireceive:
      receive(rank, step);
      break;
    case StepKind::wait:
      wait(rank, step.request);
      break;
    case StepKind::collective:
    case StepKind::icollective:
      collective(rank, step);
      break;
    case StepKind::call:
      busy(rank, step.seconds);
      break;
    default:
      break;
  }
  if (state.blocked == Blocked::no) note_end(rank);
}

void Engine::compute(uint32_t rank, const Step& step) {
  RankState& state = ranks_[rank];
  const uint32_t shared_by = compute_ ? program_.compute_shared_by(rank) : 0;
  if (shared_by > 0) {
    state.blocked = Blocked::computing;
    const double alone = step.seconds * compute_->speedup(shared_by) / shared_by;
    compute_->start(rank, nodes_[rank], alone, state.now, heap_);
    return;
  }
  state.now += step.seconds;
  result_.ranks[rank].compute += step.seconds;
  note_end(rank);
}

void Engine::await(uint32_t rank, const Step& step) {
  ranks_[rank].blocked = Blocked::on_thread;
  post_receive({step.partner, rank, step.tag, kSignals}, ranks_[rank].now, kBlockedRank);
}

void Engine::busy(uint32_t rank, double seconds) {
  RankState& state = ranks_[rank];
  state.now += seconds;
  state.in_call_until = state.now;
  result_.ranks[rank].overhead += seconds;
}

Engine::Request& Engine::request(uint32_t rank, uint32_t number) {
  std::vector<Request>& requests = ranks_[rank].requests;
  if (number >= requests.size()) requests.resize(number + 1);
  return requests[number];
}

void Engine::wait(uint32_t rank, uint32_t number) {
  const Request& waited = request(rank, number);
  RankState& state = ranks_[rank];
  if (waited.done == kForever) {
    state.blocked = Blocked::on_request;
    state.waits_for = number;
    return;
  }
  if (waited.done > state.now) {
    result_.ranks[rank].waiting += waited.done - state.now;
    state.now = waited.done;
  }
  busy(rank, waited.overhead);
}

void Engine::wake(uint32_t rank, double time, double overhead_s) {
  RankState& state = ranks_[rank];
  if (time > state.now) {
    // In the trace, waiting for threads of the process is outside MPI.
    RankTimes& times = result_.ranks[rank];
    (state.blocked == Blocked::on_thread ? times.compute : times.waiting) += time - state.now;
    state.now = time;
  }
  if (state.blocked == Blocked::on_thread) {
    state.blocked = Blocked::no;
    if (rank != running_) heap_.push({state.now, rank, EventType::rank});
    return;
  }
  busy(rank, overhead_s);
  state.blocked = Blocked::no;
  state.waits_for = kNone;
  note_end(rank);
  if (rank != running_) heap_.push({state.now, rank, EventType::rank});
}

void Engine::notify(uint32_t rank, uint32_t target, double time, double overhead_s) {
  if (target == kNobody) return;
  if (target == kBlockedRank) return wake(rank, time, overhead_s);
  if ((target & kAgentBit) != 0) {
    Agent& agent = agents_[target & ~kAgentBit];
    agent.now = std::max(agent.now, time + overhead_s);
    result_.ranks[rank].overhead += overhead_s;
    if (--agent.outstanding == 0) {
      heap_.push({agent.now, target & ~kAgentBit, EventType::agent});
    }
    return;
  }
  request(rank, target) = {time, overhead_s};
  const RankState& state = ranks_[rank];
  if (state.blocked == Blocked::on_request && state.waits_for == target) {
    wake(rank, time, overhead_s);
  }
}

void Engine::enter_call(uint32_t rank) {
  RankState& state = ranks_[rank];
  state.in_call_until = std::max(state.in_call_until, state.now);
  uint32_t transfer = std::exchange(state.stalled, kNone);
  while (transfer != kNone) {
    const uint32_t next = transfers_[transfer].next;
    begin_when_in_calls(transfer, state.now);
    transfer = next;
  }
  for (uint32_t agent = std::exchange(state.parked, kNone); agent != kNone;) {
    const uint32_t next = agents_[agent].next;
    agents_[agent].now = std::max(agents_[agent].now, state.now);
    heap_.push({agents_[agent].now, agent, EventType::agent});
    agent = next;
  }
}

void Engine::note_begin(uint32_t rank, uint32_t event) {
  RankState& state = ranks_[rank];
  state.event = event;
  if (event == kNone) return;
  if (event != state.timed) {
    state.timed = event;
    state.timed_begin = state.now;
  }
  if (options_.step_times == nullptr) return;
  auto& times = (*options_.step_times)[rank];
  if (event < times.size() && times[event].second < 0) times[event].first = state.now * 1e9;
}

void Engine::note_end(uint32_t rank) {
  const RankState& state = ranks_[rank];
  if (state.event == kNone) return;
  if (options_.step_lengths != nullptr) {
    auto& lengths = (*options_.step_lengths)[rank];
    if (state.event < lengths.size()) {
      lengths[state.event] = (state.now - state.timed_begin) * 1e9;
    }
  }
  if (options_.step_times == nullptr) return;
  auto& times = (*options_.step_times)[rank];
  if (state.event < times.size()) times[state.event].second = state.now * 1e9;
}

}  // namespace plait::replay
