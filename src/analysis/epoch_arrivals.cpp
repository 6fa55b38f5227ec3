// SPDX-License-Identifier: BSD-3-Clause
// Matches the access and exposure epochs of windows.
#include "analysis/epoch_arrivals.hpp"

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/lock_waits.hpp"

namespace plait::analysis {
namespace {

using trace::kNone;

enum class EpochKind : std::uint8_t { post, start, complete, wait, unknown };

EpochKind kind_of(const std::string& function) {
  if (function == "MPI_Win_post") return EpochKind::post;
  if (function == "MPI_Win_start") return EpochKind::start;
  if (function == "MPI_Win_complete") return EpochKind::complete;
  return function == "MPI_Win_wait" || function == "MPI_Win_test" ? EpochKind::wait
                                                                  : EpochKind::unknown;
}

/// A window, a target, and an origin.
using Pair = std::tuple<std::uint32_t, int, int>;

/// The calls of one epoch of a pair.
struct Epoch {
  Arrival start, complete, post, wait;
};

class Matcher {
public:
  Matcher(const trace::Trace& trace, const Lanes& lanes) : trace_(trace), lanes_(lanes) {
    for (const std::string& function : trace.functions) kinds_.push_back(kind_of(function));
  }

  std::map<Pair, std::vector<Epoch>> match() {
    for (std::uint32_t rank = 0; rank < trace_.ranks.size(); ++rank) {
      open_.clear();
      for (const trace::EpochCall& call : trace_.ranks[rank].epochs) add(rank, call);
    }
    return std::move(epochs_);
  }

private:
  /// What a rank has opened on a window: the partners, and the number of the epoch with each.
  struct Open {
    std::vector<int> partners;
    std::vector<std::size_t> numbers;
  };

  void add(std::uint32_t rank, const trace::EpochCall& call) {
    const trace::Event& event = trace_.ranks[rank].streams[call.stream].events[call.event];
    const trace::Shape& shape = trace_.shape(event);
    const EpochKind kind =
        shape.function < kinds_.size() ? kinds_[shape.function] : EpochKind::unknown;
    const Lanes::Place place = lanes_.place_of(rank, call.stream, call.event);
    if (kind == EpochKind::unknown || shape.comm == kNone || place.lane == kNone) return;
    const Arrival arrival{event.begin, place.lane, place.call};
    const bool exposes = kind == EpochKind::post || kind == EpochKind::wait;
    Open& open = open_[{shape.comm, exposes}];
    if (kind == EpochKind::post || kind == EpochKind::start) {
      open = {call.partners, {}};
      for (const int partner : call.partners) {
        std::size_t& count = counts_[{pair_of(shape.comm, rank, partner, exposes), exposes}];
        open.numbers.push_back(count++);
      }
    }
    for (std::size_t i = 0; i < open.partners.size(); ++i) {
      std::vector<Epoch>& epochs = epochs_[pair_of(shape.comm, rank, open.partners[i], exposes)];
      if (epochs.size() <= open.numbers[i]) epochs.resize(open.numbers[i] + 1);
      Epoch& epoch = epochs[open.numbers[i]];
      (kind == EpochKind::post    ? epoch.post
       : kind == EpochKind::start ? epoch.start
       : kind == EpochKind::wait  ? epoch.wait
                                  : epoch.complete) = arrival;
    }
  }

  static Pair pair_of(std::uint32_t window, std::uint32_t rank, int partner, bool exposes) {
    const auto own = static_cast<int>(rank);
    return exposes ? Pair{window, own, partner} : Pair{window, partner, own};
  }

  const trace::Trace& trace_;
  const Lanes& lanes_;
  std::vector<EpochKind> kinds_;  ///< by function
  /// Of the current rank, by window: as a target, as an origin.
  std::map<std::pair<std::uint32_t, bool>, Open> open_;
  std::map<std::pair<Pair, bool>, std::size_t> counts_;  ///< of posts (true) and starts
  std::map<Pair, std::vector<Epoch>> epochs_;
};

std::uint64_t key_of(std::uint32_t lane, std::uint32_t call) {
  return std::uint64_t{lane} << 32U | call;
}

}  // namespace

EpochArrivals::EpochArrivals(const trace::Trace& trace, const Lanes& lanes) {
  const auto await = [this](std::uint32_t lane, std::uint32_t call, const Arrival& by,
                            WaitKind kind) {
    if (lane == kNone || by.lane == kNone) return;
    Awaited& awaited = of_[key_of(lane, call)];
    if (awaited.last.lane == kNone || by.time > awaited.last.time) awaited = {by, kind};
  };
  for (const auto& [pair, epochs] : Matcher(trace, lanes).match()) {
    for (const Epoch& epoch : epochs) {
      await(epoch.start.lane, epoch.start.call, epoch.post, WaitKind::late_post);
      await(epoch.complete.lane, epoch.complete.call, epoch.post, WaitKind::late_post);
      await(epoch.wait.lane, epoch.wait.call, epoch.complete, WaitKind::late_complete);
    }
  }
  for (const LockWait& wait : find_lock_waits(trace, lanes)) {
    await(wait.waiting.lane, wait.waiting.call, wait.by,
          wait.for_lock ? WaitKind::lock : WaitKind::progress);
  }
}

EpochArrivals::Awaited EpochArrivals::awaited(std::uint32_t lane, std::uint32_t call) const {
  const auto found = of_.find(key_of(lane, call));
  return found == of_.end() ? Awaited{} : found->second;
}

}  // namespace plait::analysis
