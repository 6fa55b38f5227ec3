// SPDX-License-Identifier: BSD-3-Clause
// Measures ping-pong and ping-ping between two ranks, or several pairs at once.
#include "measure/exchange.hpp"
#include "measure/sizes.hpp"
#include "mpi_channel.hpp"
#include "task.hpp"

namespace plait::measure {
namespace {

class PairTask : public Task {
public:
  explicit PairTask(const TaskContext& context) : context_(context) {}

  [[nodiscard]] std::vector<Cell> cells() const override {
    std::vector<std::uint64_t> sizes = context_.step.sizes;
    if (sizes.empty()) sizes = several() ? multi_pair_sizes() : message_sizes();
    std::vector<Cell> cells;
    for (const std::uint64_t bytes : sizes) cells.push_back({bytes, 0});
    return cells;
  }

  double carry_out(const Cell& cell, int repetitions) override {
    if (!several()) return seconds_of_pair(cell.bytes, repetitions) / repetitions * 1e6;
    context_.mpi.barrier(context_.comm);
    const double seconds = seconds_of_pair(cell.bytes, repetitions);
    // All pairs move the same amount; the slowest pair determines the time.
    double slowest = 0;
    context_.mpi.reduce(&seconds, &slowest, 1, context_.mpi.real, context_.mpi.max, 0,
                        context_.comm);
    const double moved = static_cast<double>(cell.bytes) * repetitions * context_.members / 2;
    return slowest > 0 ? moved / slowest * 1e-9 : 0;
  }

private:
  [[nodiscard]] bool several() const {
    return context_.step.kind == StepKind::multi_pair ||
           context_.step.kind == StepKind::multi_pair_pingping;
  }

  double seconds_of_pair(std::size_t bytes, int repetitions) {
    const bool leads = context_.place % 2 == 0;
    MpiChannel channel(context_.mpi, context_.comm,
                       leads ? context_.place + 1 : context_.place - 1);
    Side side{context_.send.bytes(), context_.receive.bytes(), context_.send.size()};
    side.off_cache = context_.step.kind == StepKind::pingpong_off_cache;
    if (context_.step.kind == StepKind::pingping ||
        context_.step.kind == StepKind::multi_pair_pingping) {
      return pingping(channel, side, leads, bytes, repetitions);
    }
    if (leads) return pingpong_leader(channel, side, bytes, repetitions) / 2;
    pingpong_follower(channel, side, bytes, repetitions);
    return 0;
  }

  TaskContext context_;
};

}  // namespace

std::unique_ptr<Task> make_pair_task(const TaskContext& context) {
  return std::make_unique<PairTask>(context);
}

std::unique_ptr<Task> make_task(const TaskContext& context) {
  switch (context.step.kind) {
    case StepKind::overhead:
    case StepKind::back_to_back:
    case StepKind::eager:
      return make_cost_task(context);
    case StepKind::overlap:
      return make_overlap_task(context);
    case StepKind::mixed:
      return make_mixed_task(context);
    case StepKind::collective:
      return make_collective_task(context);
    case StepKind::pingpong:
    case StepKind::pingping:
    case StepKind::pingpong_off_cache:
    case StepKind::multi_pair:
    case StepKind::multi_pair_pingping:
      break;
  }
  return make_pair_task(context);
}

}  // namespace plait::measure
