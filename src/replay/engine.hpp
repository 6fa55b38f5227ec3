// SPDX-License-Identifier: BSD-3-Clause
// The discrete-event engine: ranks step through a program, messages cross the network cards.
//
// Each rank has its own time. The rank with the earliest time steps until it has to wait or another
// event is earlier, so cards are used in the order of time. Later actions are events of the heap: a
// transfer that may begin (kInject), a message whose head reaches its destination's card (kArrive),
// the end of a flow or of a computation.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "replay/collective_gates.hpp"
#include "replay/collective_rounds.hpp"
#include "replay/event_heap.hpp"
#include "replay/flows.hpp"
#include "replay/node_compute.hpp"
#include "replay/part.hpp"
#include "replay/replay.hpp"
#include "replay/transfers.hpp"

namespace plait::replay {

class Engine {
public:
  /// @param part  that this engine replays; null: all ranks
  Engine(Program& program, const Network& network, const ReplayOptions& options,
         Part* part = nullptr);
  ReplayResult run();

  // Of a part.

  /// True if a replay on this network may be divided into parts.
  static bool may_divide(const Network& network);
  /// Takes what another part tells.
  void take(const Post& post);
  /// Goes on until all ranks of the part wait.
  void go_on();
  [[nodiscard]] std::uint64_t steps() const { return result_.events; }
  /// Times of the ranks of the part; those of others are 0.
  ReplayResult result();

private:
  static constexpr double kForever = std::numeric_limits<double>::infinity();

  // Whom to notify of a finished operation (Transfer::sender, Transfer::receiver, Leave::target): a
  // request of the rank, an agent, the rank itself inside a blocking call, or nobody.
  static constexpr std::uint32_t kNobody = kNoRequest;
  static constexpr std::uint32_t kBlockedRank = kNobody - 1;
  static constexpr std::uint32_t kAgentBit = 0x80000000;

  enum class Blocked : std::uint8_t { no, in_call, on_request, computing, on_thread, ended };

  /// Envelope::space of the signals between threads of a process; collectives have smaller ones.
  static constexpr std::uint32_t kSignals = ~0U;

  struct Request {
    double done = -1;  ///< kForever: not yet
    double overhead = 0;
  };

  struct RankState {
    double now = 0;
    double in_call_until = -1;
    std::vector<Request> requests;
    std::uint32_t stalled = trace::kNone;  ///< transfers that continue when it is in a call
    std::uint32_t parked = trace::kNone;   ///< agents that continue when it is in a call
    std::uint32_t waits_for = trace::kNone;
    std::uint32_t event = trace::kNone;  ///< of its current step
    std::uint32_t timed = trace::kNone;  ///< the latest event,
    double timed_begin = 0;              ///< and the time of its first step
    Blocked blocked = Blocked::no;
  };

  /// One member of a collective that executes its rounds.
  struct Agent {
    Member member;
    const std::vector<std::uint32_t>* ranks = nullptr;
    double now = 0;
    std::uint32_t rank = 0;
    std::uint32_t space = 0;
    std::uint32_t round = 0;
    std::uint32_t outstanding = 0;
    std::uint32_t target = kNobody;
    std::uint32_t next = trace::kNone;
  };

  // Ranks (engine.cpp)
  void check_paths() const;
  void prepare();
  void handle(const Event& event);
  void run_rank(std::uint32_t rank);
  void execute(std::uint32_t rank, const Step& step);
  void compute(std::uint32_t rank, const Step& step);
  void await(std::uint32_t rank, const Step& step);
  void wait(std::uint32_t rank, std::uint32_t request);
  void busy(std::uint32_t rank, double seconds);
  Request& request(std::uint32_t rank, std::uint32_t number);
  void enter_call(std::uint32_t rank);
  void wake(std::uint32_t rank, double time, double overhead_s);
  void notify(std::uint32_t rank, std::uint32_t target, double time, double overhead_s);
  void note_begin(std::uint32_t rank, std::uint32_t event);
  void note_end(std::uint32_t rank);
  [[nodiscard]] bool is_own(std::uint32_t rank) const {
    return part_ == nullptr || part_->has(rank);
  }

  // Messages and collectives (engine_messages.cpp)
  void send(std::uint32_t rank, const Step& step);
  void receive(std::uint32_t rank, const Step& step);
  /// @returns whether the sender may continue at once
  bool post_send(const Envelope& envelope, std::uint64_t bytes, double time, const Step& how,
                 std::uint32_t target);
  void post_receive(const Envelope& envelope, double time, std::uint32_t target);
  void begin_when_ready(std::uint32_t transfer, double ready);
  void begin_when_in_calls(std::uint32_t transfer, double time);
  void inject(std::uint32_t transfer, double time);
  void arrive(std::uint32_t transfer, double time);
  void delivered(std::uint32_t transfer, double time);
  void sender_done(std::uint32_t transfer, double time);
  [[nodiscard]] bool in_call(std::uint32_t rank, double time) const;
  [[nodiscard]] const Path& path(const Envelope& envelope) const;
  [[nodiscard]] std::uint32_t card(std::uint32_t rank, const Envelope& envelope) const;
  void collective(std::uint32_t rank, const Step& step);
  void arrive_at_gate(std::uint32_t rank, const Step& step, const CollectiveStep& of,
                      std::uint32_t target);
  [[nodiscard]] double gate_cost(const CollectiveStep& of) const;
  void run_agent(std::uint32_t agent);
  std::uint32_t make_agent();

  Program& program_;
  const Network& network_;
  const ReplayOptions& options_;
  Part* part_;
  EventHeap heap_;
  double clock_ = 0;
  bool any_order_ = false;  ///< in which ranks step
  std::uint32_t running_ = trace::kNone;
  double first_start_ = 0;

  std::vector<RankState> ranks_;
  std::vector<std::uint32_t> nodes_;  ///< by rank
  ReplayResult result_;
  Transfers transfers_;
  std::vector<double> card_out_free_, card_in_free_;
  std::optional<Flows> flows_;
  std::optional<NodeCompute> compute_;
  std::vector<Agent> agents_;
  std::uint32_t free_agent_ = trace::kNone;
  CollectiveGates gates_;
  Path no_cost_;  ///< of signals
};

}  // namespace plait::replay
