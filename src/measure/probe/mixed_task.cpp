// SPDX-License-Identifier: BSD-3-Clause
// Measures a message inside a node and one between nodes at the same time, from one or two senders
// (Stengel 2010, listing 3.2).
#include <algorithm>
#include <array>
#include <vector>

#include "measure/clock.hpp"
#include "measure/variants.hpp"
#include "task.hpp"

namespace plait::measure {
namespace {

/// The listing: the message inside the node has a fixed size, that between nodes varies. Receives
/// block, and so do sends if each message has its own sender; one sender of both uses MPI_Isend and
/// MPI_Waitall. The first pair of the step is in one node, the second on two nodes.
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
    double seconds = 0;
    for (int r = 0; r < repetitions; ++r) {
      context_.mpi.barrier(context_.comm);
      const std::int64_t begin = now_ns();
      transfer(cell);
      const double own = static_cast<double>(now_ns() - begin) * 1e-9;
      // The listing ends with a barrier. Its time would count twice in the sum of both messages.
      double slowest = 0;
      context_.mpi.reduce(&own, &slowest, 1, context_.mpi.real, context_.mpi.max, 0, context_.comm);
      seconds += slowest;
    }
    return seconds / repetitions * 1e6;
  }

private:
  void transfer(const Cell& cell) {
    const bool inside = cell.variant != mixed_variant::inter;
    const bool between = cell.variant != mixed_variant::intra;
    const std::size_t inside_bytes = context_.step.inside_bytes;
    const int place = context_.place;
    if (inside && between && place == intra_.leader && place == inter_.leader) {
      std::array<MPI_Request, 2> requests{};
      start_send(intra_.follower, inside_bytes, requests[0]);
      start_send(inter_.follower, cell.bytes, requests[1]);
      context_.mpi.waitall(2, requests.data(), context_.mpi.no_statuses);
      return;
    }
    if (inside) pass(intra_, inside_bytes);
    if (between) pass(inter_, cell.bytes);
  }

  /// Blocking calls of the sender and the receiver; nothing on other ranks.
  void pass(const RankPair& pair, std::size_t bytes) {
    const MpiLibrary& mpi = context_.mpi;
    const int count = static_cast<int>(bytes);
    if (context_.place == pair.leader) {
      mpi.send(context_.send.bytes(), count, mpi.byte, pair.follower, kTag, context_.comm);
    } else if (context_.place == pair.follower) {
      mpi.recv(context_.receive.bytes(), count, mpi.byte, pair.leader, kTag, context_.comm,
               mpi.no_status);
    }
  }

  void start_send(int to, std::size_t bytes, MPI_Request& request) {
    const MpiLibrary& mpi = context_.mpi;
    mpi.isend(context_.send.bytes(), static_cast<int>(bytes), mpi.byte, to, kTag, context_.comm,
              &request);
  }

  static constexpr int kTag = 3;
  TaskContext context_;
  RankPair intra_;  ///< places in the step's communicator
  RankPair inter_;
};

}  // namespace

std::unique_ptr<Task> make_mixed_task(const TaskContext& context) {
  return std::make_unique<MixedTask>(context);
}

}  // namespace plait::measure
