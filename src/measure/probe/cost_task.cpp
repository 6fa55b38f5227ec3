// SPDX-License-Identifier: BSD-3-Clause
// Measures the CPU time of messages, the gap between them, and which sizes are eager.
#include <algorithm>
#include <map>

#include "measure/clock.hpp"
#include "measure/exchange.hpp"
#include "measure/sizes.hpp"
#include "measure/variants.hpp"
#include "mpi_channel.hpp"
#include "task.hpp"

namespace plait::measure {
namespace {

/// Both sides of one pair; the leader measures.
class CostTask : public Task {
public:
  explicit CostTask(const TaskContext& context)
      : context_(context), channel_(context.mpi, context.comm, 1 - context.place) {}

protected:
  [[nodiscard]] bool leads() const { return context_.place == 0; }

  /// @return on the leader: seconds of half a round trip
  double half_round_trip_s(std::size_t bytes, int repetitions) {
    Side side{context_.send.bytes(), context_.receive.bytes(), context_.send.size()};
    if (leads()) return pingpong_leader(channel_, side, bytes, repetitions) / (2.0 * repetitions);
    pingpong_follower(channel_, side, bytes, repetitions);
    return 0;
  }

  TaskContext context_;
  MpiChannel channel_;
};

/// Measures the time inside the call that starts a message, and inside the receive of a message
/// that has arrived.
class OverheadTask : public CostTask {
public:
  using CostTask::CostTask;

  [[nodiscard]] std::vector<Cell> cells() const override {
    std::vector<Cell> cells;
    for (const std::uint64_t bytes :
         context_.step.sizes.empty() ? overhead_sizes() : context_.step.sizes) {
      for (const int variant :
           {overhead_variant::alone, overhead_variant::send, overhead_variant::receive}) {
        cells.push_back({bytes, variant});
      }
    }
    return cells;
  }

  double carry_out(const Cell& cell, int repetitions) override {
    if (cell.variant == overhead_variant::alone) {
      const double alone_s = half_round_trip_s(cell.bytes, repetitions);
      alone_s_[cell.bytes] = alone_s;
      return alone_s * 1e6;
    }
    double seconds = 0;
    for (int r = 0; r < repetitions; ++r) {
      seconds += cell.variant == overhead_variant::send ? send(cell.bytes) : receive(cell.bytes);
    }
    return seconds / repetitions * 1e6;
  }

private:
  double send(std::size_t bytes) {
    if (!leads()) {
      channel_.signal();
      channel_.receive(context_.receive.bytes(), bytes);
      return 0;
    }
    channel_.await_signal();
    MPI_Request request{};
    const std::int64_t begin = now_ns();
    channel_.start_send(context_.send.bytes(), bytes, request);
    const std::int64_t end = now_ns();
    channel_.finish(request);
    return static_cast<double>(end - begin) * 1e-9;
  }

  double receive(std::size_t bytes) {
    if (!leads()) {
      channel_.await_signal();
      channel_.send(context_.send.bytes(), bytes);
      return 0;
    }
    channel_.signal();
    // Twice the time of the signal and the message in transit, spent outside MPI like a
    // computation.
    const Deadline arrived(4 * alone_s_[bytes] + 20e-6);
    while (!arrived.passed()) {
    }
    const std::int64_t begin = now_ns();
    channel_.receive(context_.receive.bytes(), bytes);
    return static_cast<double>(now_ns() - begin) * 1e-9;
  }

  std::map<std::uint64_t, double> alone_s_;  ///< on the leader
};

/// Measures consecutive messages in one direction, followed by one empty answer.
class BackToBackTask : public CostTask {
public:
  using CostTask::CostTask;

  [[nodiscard]] std::vector<Cell> cells() const override {
    std::vector<Cell> cells;
    for (const std::uint64_t bytes :
         context_.step.sizes.empty() ? back_to_back_sizes() : context_.step.sizes) {
      cells.push_back({bytes, 0});
    }
    return cells;
  }

  double carry_out(const Cell& cell, int repetitions) override {
    if (answer_s_ < 0) answer_s_ = half_round_trip_s(0, kAnswers);
    const int messages = back_to_back_messages(cell.bytes);
    const std::int64_t begin = now_ns();
    for (int r = 0; r < repetitions; ++r) {
      for (int i = 0; i < messages; ++i) {
        if (leads()) {
          channel_.send(context_.send.bytes(), cell.bytes);
        } else {
          channel_.receive(context_.receive.bytes(), cell.bytes);
        }
      }
      if (leads()) {
        channel_.await_signal();
      } else {
        channel_.signal();
      }
    }
    const double seconds = static_cast<double>(now_ns() - begin) * 1e-9 / repetitions;
    return std::max(0.0, seconds - answer_s_) / messages * 1e6;
  }

private:
  static constexpr int kAnswers = 50;
  double answer_s_ = -1;  ///< one way of the answer; negative on both sides while unknown
};

/// Applies the definition of eager: the send completes although no receive has been posted, while
/// the receiver is inside MPI and could take part in any protocol.
class EagerTask : public CostTask {
public:
  using CostTask::CostTask;

  [[nodiscard]] std::vector<Cell> cells() const override {
    std::vector<Cell> cells;
    for (const std::uint64_t bytes : context_.step.sizes) cells.push_back({bytes, 0});
    return cells;
  }

  double carry_out(const Cell& cell, int repetitions) override {
    const double alone_s = half_round_trip_s(cell.bytes, 1);
    int eager = 0;
    for (int r = 0; r < repetitions; ++r) eager += is_eager(cell.bytes, alone_s) ? 1 : 0;
    return static_cast<double>(eager) / repetitions;
  }

private:
  bool is_eager(std::size_t bytes, double alone_s) {
    if (!leads()) {
      channel_.await_signal();
      channel_.receive(context_.receive.bytes(), bytes);
      return false;
    }
    MPI_Request request{};
    channel_.start_send(context_.send.bytes(), bytes, request);
    const Deadline deadline(3 * alone_s + 2e-3);
    int done = 0;
    while (done == 0 && !deadline.passed()) {
      context_.mpi.test(&request, &done, context_.mpi.no_status);
    }
    channel_.signal();
    if (done == 0) channel_.finish(request);
    return done != 0;
  }
};

}  // namespace

std::unique_ptr<Task> make_cost_task(const TaskContext& context) {
  if (context.step.kind == StepKind::eager) return std::make_unique<EagerTask>(context);
  if (context.step.kind == StepKind::overhead) return std::make_unique<OverheadTask>(context);
  return std::make_unique<BackToBackTask>(context);
}

}  // namespace plait::measure
