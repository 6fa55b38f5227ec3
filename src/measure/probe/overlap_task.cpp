// SPDX-License-Identifier: BSD-3-Clause
// Measures a message during work, on the receiving or the sending side (Stengel 2010, listing 3.1).
#include <map>
#include <optional>

#include "measure/clock.hpp"
#include "measure/exchange.hpp"
#include "measure/variants.hpp"
#include "mpi_channel.hpp"
#include "poller.hpp"
#include "task.hpp"
#include "work.hpp"

namespace plait::measure {
namespace {

class OverlapTask : public Task {
public:
  explicit OverlapTask(const TaskContext& context)
      : context_(context),
        channel_(context.mpi, context.comm, 1 - context.place),
        sends_(context.step.what.starts_with("isend")) {
    if (!leads()) return;
    const bool memory = context.step.what.ends_with("memory");
    work_.emplace(memory ? context.plan.off_cache_bytes : 0,
                  memory ? pus_for_helpers() : std::vector<int>{});
    if (context.plan.poll) poller_.emplace(context.mpi, pus_for_poller());
  }

  [[nodiscard]] std::vector<std::pair<Cell, double>> facts() const override {
    return {{{0, overlap_variant::threads}, static_cast<double>(work_->threads())}};
  }

  [[nodiscard]] std::vector<Cell> cells() const override {
    std::vector<Cell> cells;
    for (const std::uint64_t bytes : context_.step.sizes) {
      cells.push_back({bytes, overlap_variant::transfer});
      for (std::size_t i = 0; i < overlap_variant::kAmounts.size(); ++i) {
        cells.push_back({bytes, overlap_variant::beside(i)});
        if (overlap_variant::kAmounts[i] > 0) cells.push_back({bytes, overlap_variant::work(i)});
      }
    }
    return cells;
  }

  double carry_out(const Cell& cell, int repetitions) override {
    if (cell.variant == overlap_variant::transfer) return transfer_us(cell.bytes, repetitions);
    const std::size_t amount = overlap_variant::amount_of(cell.variant);
    double seconds = 0;
    for (int r = 0; r < repetitions; ++r) {
      if (overlap_variant::is_work(cell.variant)) {
        if (leads()) seconds += work_alone(units(cell.bytes, amount));
      } else if (leads()) {
        seconds += beside_work(cell.bytes, units(cell.bytes, amount));
      } else {
        partner(cell.bytes);
      }
    }
    return seconds / repetitions * 1e6;
  }

private:
  [[nodiscard]] bool leads() const { return context_.place == 0; }

  /// All hardware threads that the rank may use, without its own if there are others.
  [[nodiscard]] std::vector<int> pus_for_poller() const {
    const auto rank = static_cast<std::size_t>(context_.step.pairs.front().leader);
    const int own = context_.plan.pus[rank];
    std::vector<int> pus = context_.allowed;
    if (pus.size() > 1) std::erase(pus, own);
    return pus;
  }

  /// The hardware threads of the node other than those of the two ranks, for work by all threads;
  /// none if a thread of the process tests messages.
  [[nodiscard]] std::vector<int> pus_for_helpers() const {
    if (context_.plan.poll) return {};
    const auto rank = static_cast<std::size_t>(context_.step.pairs.front().leader);
    const std::vector<std::string>& hosts = context_.plan.hosts;
    std::vector<int> pus = context_.allowed;
    for (const int other :
         {context_.step.pairs.front().leader, context_.step.pairs.front().follower}) {
      const auto index = static_cast<std::size_t>(other);
      const bool same_node = hosts.empty() || hosts[index] == hosts[rank];
      if (same_node) std::erase(pus, context_.plan.pus[index]);
    }
    if (pus.size() > kMostHelpers) pus.resize(kMostHelpers);
    return pus;
  }

  /// Measures half a round trip. The second result, after the warm-up, determines the work of all
  /// later cells of this size.
  double transfer_us(std::size_t bytes, int repetitions) {
    Side side{context_.send.bytes(), context_.receive.bytes(), context_.send.size()};
    if (!leads()) {
      pingpong_follower(channel_, side, bytes, repetitions);
      return 0;
    }
    const double seconds = pingpong_leader(channel_, side, bytes, repetitions) / (2 * repetitions);
    // Only the estimate of the warm-up is used: a later one would change the work of a cell.
    if (++estimates_[bytes] <= 2) units_[bytes] = work_->units_for(seconds);
    return seconds * 1e6;
  }

  std::int64_t units(std::size_t bytes, std::size_t amount) {
    return static_cast<std::int64_t>(static_cast<double>(units_[bytes]) *
                                     overlap_variant::kAmounts[amount]);
  }

  double work_alone(std::int64_t units) {
    const std::int64_t begin = now_ns();
    work_->carry_out(units);
    return static_cast<double>(now_ns() - begin) * 1e-9;
  }

  double beside_work(std::size_t bytes, std::int64_t units) {
    context_.mpi.barrier(context_.comm);
    MPI_Request request{};
    const std::int64_t begin = now_ns();
    if (sends_) {
      channel_.start_send(context_.send.bytes(), bytes, request);
    } else {
      channel_.start_receive(context_.receive.bytes(), bytes, request);
    }
    if (poller_) {
      poller_->take(request);
      work_->carry_out(units);
      poller_->give_back();
    } else {
      work_->carry_out(units);
      channel_.finish(request);
    }
    return static_cast<double>(now_ns() - begin) * 1e-9;
  }

  void partner(std::size_t bytes) {
    context_.mpi.barrier(context_.comm);
    if (sends_) {
      channel_.receive(context_.receive.bytes(), bytes);
    } else {
      channel_.send(context_.send.bytes(), bytes);
    }
  }

  TaskContext context_;
  MpiChannel channel_;
  bool sends_;
  std::optional<Work> work_;  ///< on the leader, like all members below
  std::optional<Poller> poller_;
  std::map<std::uint64_t, std::int64_t> units_;  ///< units of work that take as long as a message
  std::map<std::uint64_t, int> estimates_;
  static constexpr std::size_t kMostHelpers = 31;
};

}  // namespace

std::unique_ptr<Task> make_overlap_task(const TaskContext& context) {
  return std::make_unique<OverlapTask>(context);
}

}  // namespace plait::measure
