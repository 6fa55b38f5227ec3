// SPDX-License-Identifier: BSD-3-Clause
// The mapper of a node: looks at its ranks while they run, and moves them (Henriksen 2008, 7.3).
#include "remap/mapper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "base/environment.hpp"
#include "machine/open_machine.hpp"
#include "remap/affinity.hpp"
#include "remap/decider.hpp"
#include "remap/node_ranks.hpp"
#include "remap/remap_file.hpp"

namespace plait::remap {
namespace {

using Clock = std::chrono::steady_clock;

bool all_equal(const std::vector<machine::CpuSet>& sets) {
  return std::all_of(sets.begin(), sets.end(),
                     [&](const machine::CpuSet& set) { return set == sets.front(); });
}

}  // namespace

class Mapper::State {
public:
  State(const std::string& machine, double interval_s)
      : machine_(machine::open_machine(machine)), interval_(interval_s) {
    file_.host = host_name();
    file_.interval_s = interval_s;
  }

  void look(const std::filesystem::path& records) {
    looked_ = true;
    if (done_) return;
    const bool asked = Clock::now() < next_;
    if (asked && !has_asked()) return;
    NodeRanks ranks = read_node_ranks(records);
    file_.elsewhere = ranks.elsewhere;
    if (ranks.ended && last_) return stop("");
    if (ranks.ambiguous) {
      return stop(
          "the program started further MPI processes, whose ranks Plait cannot distinguish");
    }
    if (!ranks.complete) return;
    next_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(interval_);
    if (!last_) {
      last_ = std::move(ranks);
      return;
    }
    if (!same_processes(*last_, ranks)) return stop("the processes of the program changed");
    if (!decider_ && !begin(ranks)) return;
    decide(interval_between(*last_, ranks), ranks, asked);
    last_ = std::move(ranks);
  }

  void write(const std::filesystem::path& run_dir) const {
    if (looked_) write_remap_file(run_dir, file_);
  }

  /// @param why  empty: the program ended
  void stop(std::string why) {
    done_ = true;
    file_.stopped = std::move(why);
  }

private:
  /// True if the program has asked for a decision since the last one.
  [[nodiscard]] bool has_asked() const {
    return last_ && !last_->first_record.empty() && requests_in(last_->first_record) > last_->asked;
  }

  /// Learns what the launcher gave the ranks. False: nothing can be moved.
  bool begin(const NodeRanks& ranks) {
    std::vector<Binding> bindings;
    for (const NodeRank& rank : ranks.ranks) {
      const std::vector<machine::CpuSet> threads = affinities_of(rank.pid);
      if (threads.empty()) {  // it has just ended
        stop("");
        return false;
      }
      if (!all_equal(threads)) {
        stop(
            fmt::format("rank {} binds its threads to cores of their own; start it with "
                        "OMP_PROC_BIND=false",
                        rank.world_rank));
        return false;
      }
      for (const int cpu : threads.front().indices()) {
        if (machine_.topology.core_of_pu(cpu) < 0) {
          stop(
              fmt::format("rank {} runs on CPU {}, which the machine file does not have; give "
                          "--machine the file of this node",
                          rank.world_rank, cpu));
          return false;
        }
      }
      given_.push_back(threads.front());
      allowed_ |= threads.front();
      bindings.push_back({machine_.topology.cores_of(threads.front()), rank.threads});
    }
    file_.ranks = static_cast<int>(ranks.ranks.size());
    Places places = places_of(machine_.topology, bindings);
    if (!places.refused.empty()) {
      stop(places.refused);
      return false;
    }
    begin_s_ = last_->at_s;
    given_places_ = places.now;
    costs_.emplace(machine_, places.all);
    decider_.emplace(*costs_, std::move(places));
    return true;
  }

  void decide(const Interval& interval, const NodeRanks& ranks, bool asked) {
    ++file_.intervals;
    if (!bound_as_left(ranks)) return;
    const std::optional<Move> move = decider_->decide(interval, asked);
    for (std::size_t i = 0; i < file_.decisions.size(); ++i) {
      file_.decisions[i].move = decider_->moves()[i];
    }
    if (!move) return;
    file_.decisions.push_back({ranks.at_s - begin_s_, asked, *move, {}});
    for (std::size_t i = 0; i < ranks.ranks.size(); ++i) {
      if (move->from[i] == move->to[i]) continue;
      const NodeRank& rank = ranks.ranks[i];
      file_.decisions.back().ranks.push_back(
          {rank.world_rank, cores_text(move->from[i]), cores_text(move->to[i])});
      if (!move_process(rank.pid, cpus_of(i, move->to[i]))) {
        return stop(fmt::format("the kernel did not move rank {}", rank.world_rank));
      }
    }
  }

  /// Whoever changes bindings beside the mapper knows better.
  bool bound_as_left(const NodeRanks& ranks) {
    for (std::size_t i = 0; i < ranks.ranks.size(); ++i) {
      const std::vector<machine::CpuSet> threads = affinities_of(ranks.ranks[i].pid);
      const machine::CpuSet expected = cpus_of(i, decider_->now()[i]);
      for (const machine::CpuSet& thread : threads) {
        if (thread == expected) continue;
        stop(
            fmt::format("rank {} was bound to other cores (by itself, or from outside); start it "
                        "with OMP_PROC_BIND=false if its OpenMP runtime does so",
                        ranks.ranks[i].world_rank));
        return false;
      }
    }
    return true;
  }

  /// What the launcher gave the rank, if it is where the launcher put it.
  [[nodiscard]] machine::CpuSet cpus_of(std::size_t rank, int place) const {
    if (place == given_places_[rank]) return given_[rank];
    return machine_.topology.pus_of(place_of(place).cores) & allowed_;
  }
  [[nodiscard]] const Place& place_of(int place) const {
    return decider_->places().all[static_cast<std::size_t>(place)];
  }
  [[nodiscard]] std::string cores_text(int place) const {
    return machine::format_ids(place_of(place).cores);
  }

  machine::MachineFile machine_;
  std::chrono::duration<double> interval_;
  Clock::time_point next_{};
  std::optional<NodeRanks> last_;
  std::vector<machine::CpuSet> given_;  ///< to each rank, by its launcher
  std::vector<int> given_places_;
  machine::CpuSet allowed_;
  std::optional<PlaceCosts> costs_;
  std::optional<Decider> decider_;
  double begin_s_ = 0;
  bool looked_ = false, done_ = false;
  RemapFile file_;
};

Mapper::Mapper(const std::string& machine, double interval_s)
    : state_(std::make_unique<State>(machine, interval_s)) {}

Mapper::~Mapper() = default;

void Mapper::look(const std::filesystem::path& records) {
  try {
    state_->look(records);
  } catch (const std::exception& error) {
    state_->stop(error.what());
  }
}

void Mapper::write(const std::filesystem::path& run_dir) const {
  state_->write(run_dir);
}

}  // namespace plait::remap
