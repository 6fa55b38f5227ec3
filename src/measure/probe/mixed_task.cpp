// SPDX-License-Identifier: BSD-3-Clause
// Measures a message inside a node and one between nodes at the same time, from one or two senders
// (Stengel 2010, listing 3.2).
#include <algorithm>
#include <map>
#include <vector>

#include "measure/clock.hpp"
#include "measure/variants.hpp"
#include "task.hpp"

namespace plait::measure {
namespace {

/// The first pair of the step is in one node, the second on two nodes. A message inside a node
/// takes much less time, so several are sent in a row until they take about as long as the one
/// between nodes; otherwise there would be nothing to see.
class MixedTask : public Task {
public:
  explicit MixedTask(const TaskContext& context) : context_(context) {
    const std::vector<int> members = members_of(context.step);
    const auto place = [&](int rank) {
      return static_cast<int>(std::find(members.begin(), members.end(), rank) - members.begin());
    };
    intra_ = {place(context.step.pairs.at(0).leader), place(context.step.pairs.at(0).follower)};
    inter_ = {place(context.step.pairs.at(1).leader), place(context.step.pairs.at(1).follower)};
  }

  [[nodiscard]] std::vector<Cell> cells() const override {
    std::vector<Cell> cells;
    for (const std::uint64_t bytes : context_.step.sizes) {
      for (const int variant : {mixed_variant::inter, mixed_variant::intra, mixed_variant::both}) {
        cells.push_back({bytes, variant});
      }
    }
    return cells;
  }

  double carry_out(const Cell& cell, int repetitions) override {
    int in_a_row = messages_.count(cell.bytes) > 0 ? messages_[cell.bytes] : 1;
    if (cell.variant == mixed_variant::intra && messages_.count(cell.bytes) == 0) {
      const double one_s = seconds(cell, 4, 1);
      in_a_row = agreed(std::clamp(inter_s_[cell.bytes] / std::max(one_s, 1e-9), 1.0, 512.0));
      messages_[cell.bytes] = in_a_row;
    }
    const double s = seconds(cell, repetitions, in_a_row);
    if (cell.variant == mixed_variant::inter) inter_s_[cell.bytes] = s;
    return s * 1e6;
  }

  [[nodiscard]] std::vector<std::pair<Cell, double>> facts() const override {
    std::vector<std::pair<Cell, double>> facts;
    for (const auto& [bytes, count] : messages_) {
      facts.push_back({{bytes, mixed_variant::in_a_row}, static_cast<double>(count)});
    }
    return facts;
  }

private:
  /// Sends the number of the leader to all ranks.
  int agreed(double messages) {
    int count = static_cast<int>(messages);
    context_.mpi.bcast(&count, sizeof(count), context_.mpi.byte, 0, context_.comm);
    return count;
  }

  /// @return on the leader: seconds per repetition until the slowest rank has finished
  double seconds(const Cell& cell, int repetitions, int in_a_row) {
    const bool intra = cell.variant != mixed_variant::inter;
    const bool inter = cell.variant != mixed_variant::intra;
    context_.mpi.barrier(context_.comm);
    const std::int64_t begin = now_ns();
    for (int r = 0; r < repetitions; ++r) {
      requests_.clear();
      if (inter) start(inter_, cell.bytes, 1);
      if (intra) start(intra_, cell.bytes, in_a_row);
      context_.mpi.waitall(static_cast<int>(requests_.size()), requests_.data(),
                           context_.mpi.no_statuses);
    }
    const double own = static_cast<double>(now_ns() - begin) * 1e-9;
    double slowest = 0;
    context_.mpi.reduce(&own, &slowest, 1, context_.mpi.real, context_.mpi.max, 0, context_.comm);
    return slowest / repetitions;
  }

  void start(const RankPair& pair, std::size_t bytes, int count) {
    const MpiLibrary& mpi = context_.mpi;
    for (int i = 0; i < count; ++i) {
      MPI_Request request{};
      if (context_.place == pair.leader) {
        mpi.isend(context_.send.bytes(), static_cast<int>(bytes), mpi.byte, pair.follower, kTag,
                  context_.comm, &request);
      } else if (context_.place == pair.follower) {
        mpi.irecv(context_.receive.bytes(), static_cast<int>(bytes), mpi.byte, pair.leader, kTag,
                  context_.comm, &request);
      } else {
        continue;
      }
      requests_.push_back(request);
    }
  }

  static constexpr int kTag = 3;
  TaskContext context_;
  RankPair intra_;  ///< places in the step's communicator
  RankPair inter_;
  std::vector<MPI_Request> requests_;
  std::map<std::uint64_t, int> messages_;  ///< in a row inside the node, by size
  std::map<std::uint64_t, double> inter_s_;
};

}  // namespace

std::unique_ptr<Task> make_mixed_task(const TaskContext& context) {
  return std::make_unique<MixedTask>(context);
}

}  // namespace plait::measure
