// SPDX-License-Identifier: BSD-3-Clause
// Delay analysis: attributes all waiting to the computation and calls that caused it.
#include "analysis/delays.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "analysis/hash.hpp"
#include "analysis/latest_first.hpp"
#include "base/combine.hpp"

namespace plait::analysis {
namespace {

using trace::kNone;

/// Waits that are weighed before they are shared out: what is known of them takes some MB.
constexpr std::size_t kTogether = 1 << 16;

/// Number of waits that are searched for the longest one, which represents an interval's waiting.
constexpr std::uint32_t kSearchedWaits = 64;

struct DelayHash {
  std::size_t operator()(const Delay& of) const {
    return mix(std::uint64_t{of.region} << 32U | of.site,
               std::uint64_t{of.rank} << 3U | static_cast<std::uint64_t>(of.kind));
  }
};

/// What delayed one wait, before it is known what later waits pass on to it.
struct Weighed {
  /// By how much the awaited lane spent more time than the waiting one, ns.
  double computation = 0, waiting = 0, calls = 0, absence = 0, stalls = 0;
  double imbalance = 1;       ///< share of `computation`; the rest is of the kind `other`
  std::int64_t computed = 0;  ///< in all of its places, ns
  std::uint32_t first_place = 0, places = 0;         ///< see WeighedBlock
  std::uint32_t first_wait = 0, last_wait = 0;       ///< of the awaited lane, which it waited for
  std::uint32_t rank = 0;                            ///< awaited
  std::uint32_t waits_at = kNone, other_at = kNone;  ///< sites
  DelayKind other = DelayKind::serialization;
};

/// Some waits, weighed.
struct WeighedBlock {
  std::vector<OrderedWait> ids;
  std::vector<Weighed> of;
  std::vector<PlaceTime> places;  ///< where the awaited lane computed longer than the waiting one
};

template <class Archive>
void fields(Archive& archive, WeighedBlock& of) {
  archive(of.ids, of.of, of.places);
}

/// Weighs waits. Each is independent of the others.
class Scales {
public:
  Scales(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
         const Intervals& intervals)
      : trace_(trace), lanes_(lanes), waits_(waits), intervals_(intervals) {}

  void weigh(const OrderedWait& id, const Wait& wait, WeighedBlock& into) {
    const Interval& interval = intervals_.of[id.lane][id.number];
    const AwaitedPart part = awaited_part(lanes_, waits_, intervals_, id.lane, id.number);
    if (interval.far == kNone) look_at(trace_, lanes_, waits_, part, near_);
    const AwaitedLane& awaited = interval.far == kNone ? near_ : intervals_.far[interval.far];
    const Spent& theirs = awaited.spent;
    const Spent& ours = part.waiting;
    const auto larger = [](std::int64_t theirs, std::int64_t ours) {
      return static_cast<double>(std::max<std::int64_t>(0, theirs - ours));
    };
    Weighed& of = into.of.emplace_back();
    of.computation = larger(theirs.computed, ours.computed);
    of.waiting = larger(theirs.waited, ours.waited);
    of.calls = larger(theirs.called, ours.called);
    of.absence = larger(theirs.absent, ours.absent);
    of.stalls = larger(theirs.stalled, ours.stalled);
    if (has_no_excess(theirs, ours)) {
      // The clocks disagree here. Assume that the late rank was busy.
      (theirs.computed > 0 ? of.computation : of.calls) = 1;
    }
    of.rank = lanes_.all[wait.by_lane].rank;
    if (of.calls > 0 || of.stalls > 0) {
      of.waits_at = site_of(trace_, lanes_.all[id.lane], wait.call);
    }
    of.first_wait = awaited.first_wait;
    of.last_wait = awaited.last_wait;
    if (of.computation > 0) weigh_computation(id, wait, awaited, of, into.places);
  }

private:
  /// If no rank computes more: work done one rank after another, before a receive that could have
  /// been posted earlier, or while a lock is held or others need the rank to call MPI.
  static DelayKind kind_without_imbalance(WaitKind kind) {
    switch (kind) {
      case WaitKind::late_receiver:
        return DelayKind::late_receive;
      case WaitKind::lock:
        return DelayKind::lock;
      case WaitKind::progress:
        return DelayKind::no_progress;
      default:
        return DelayKind::serialization;
    }
  }

  /// If the awaited rank also computes more over the whole window, that part is imbalance. For the
  /// rest see kind_without_imbalance().
  void weigh_computation(const OrderedWait& id, const Wait& wait, const AwaitedLane& awaited,
                         Weighed& of, std::vector<PlaceTime>& places) {
    const Interval& interval = intervals_.of[id.lane][id.number];
    const Lane& ours = lanes_.all[id.lane];
    const std::int64_t in_window = ours.computed_until(interval.window_end, wait.call) -
                                   ours.computed_until(interval.window_begin, wait.call);
    const auto net = static_cast<double>(awaited.computed_in_window - in_window);
    const auto gross = static_cast<double>(intervals_.excess[id.lane][interval.pair]);
    of.imbalance = gross > 0 ? std::clamp(net / gross, 0.0, 1.0) : 1.0;
    // Where the awaited lane computed longer. Compare only if both sides are complete.
    places_ = awaited.places;
    if (!awaited.has_all_places ||
        !add_places(trace_, ours, wait.call, interval.since, -1, places_)) {
      places_ = awaited.places;
    }
    of.first_place = static_cast<std::uint32_t>(places.size());
    for (const PlaceTime& place : places_) {
      if (place.ns <= 0) continue;
      of.computed += place.ns;
      places.push_back(place);
    }
    if (of.computed == 0) {
      of.computed = 1;
      places.push_back({kNone, awaited.site, 1});
    }
    of.places = static_cast<std::uint32_t>(places.size()) - of.first_place;
    if (of.imbalance >= 1) return;
    of.other = kind_without_imbalance(wait.kind);
    of.other_at =
        of.other == DelayKind::serialization ? site_of(trace_, ours, wait.call) : awaited.site;
  }

  const trace::Trace& trace_;
  const Lanes& lanes_;
  const Waits& waits_;
  const Intervals& intervals_;
  AwaitedLane near_;
  std::vector<PlaceTime> places_;
};

/// Shares out all waits, on process 0.
class Propagation {
public:
  /// @param sums  see Waits; of all lanes
  Propagation(const Lanes& lanes, const std::vector<std::vector<std::int64_t>>& sums)
      : lanes_(lanes), sums_(sums) {
    const std::size_t count = lanes_.all.size();
    main_.resize(count);
    pending_.resize(count);
    rate_.assign(count, 0);
    open_.resize(count);
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::size_t waits = sums[lane].size() - 1;
      main_[lane].assign(waits, kNone);
      pending_[lane].assign(waits, 0);
      open_[lane] = static_cast<std::uint32_t>(waits);
    }
  }

  /// Shares out one wait. Everything that is passed on to it is known, as later ones come first.
  void share_out(const OrderedWait& id, const Weighed& of, std::span<const PlaceTime> places) {
    const auto own = static_cast<double>(length_of(id.lane, id.number));
    rate_[id.lane] += pending_[id.lane][id.number];
    open_[id.lane] = id.number;
    const double amount = own * (1 + rate_[id.lane]);
    const double scale = amount / (of.computation + of.waiting + of.calls + of.absence + of.stalls);
    best_ = through_ = kNone;
    best_ns_ = 0;
    if (of.computation > 0) share_computation(of, places, of.computation * scale, id.end);
    if (of.calls > 0) {
      add({DelayKind::calls, of.rank, kNone, of.waits_at}, of.calls * scale, id.end);
    }
    if (of.stalls > 0) {
      add({DelayKind::cpu_wait, of.rank, kNone, of.waits_at}, of.stalls * scale, id.end);
    }
    if (of.absence > 0) {
      add({DelayKind::late_start, of.rank, kNone, kNone}, of.absence * scale, id.end);
    }
    if (of.waiting > 0) pass_on(id.by_lane, of, of.waiting * scale);
    main_[id.lane][id.number] = best_;
    if (best_ == kNone && through_ != kNone) {
      passed_on_.push_back({id.lane, id.number, id.by_lane, through_});
    }
  }

  Delays result() {
    // Earlier waits are resolved before those that lead to them.
    for (auto at = passed_on_.rbegin(); at != passed_on_.rend(); ++at) {
      main_[at->lane][at->number] = main_[at->by_lane][at->through];
    }
    delays_.delayed.resize(delays_.sums.size());
    for (std::size_t lane = 0; lane < main_.size(); ++lane) {
      for (std::size_t i = 0; i < main_[lane].size(); ++i) {
        if (main_[lane][i] == kNone) continue;
        delays_.delayed[main_[lane][i]][lanes_.all[lane].rank] += length_of(lane, i);
      }
    }
    return std::move(delays_);
  }

private:
  /// A wait most of which a wait of the awaited lane explains.
  struct PassedOn {
    std::uint32_t lane, number, by_lane, through;
  };

  [[nodiscard]] std::int64_t length_of(std::size_t lane, std::size_t number) const {
    return sums_[lane][number + 1] - sums_[lane][number];
  }

  void add(const Delay& delay, double ns, std::int64_t at) {
    const auto [found, is_new] =
        known_.try_emplace(delay, static_cast<std::uint32_t>(delays_.sums.size()));
    if (is_new) delays_.sums.push_back({delay, 0, at});
    DelaySum& sum = delays_.sums[found->second];
    sum.ns += ns;
    sum.first = std::min(sum.first, at);
    if (ns > best_ns_) {
      best_ns_ = ns;
      best_ = found->second;
      through_ = kNone;
    }
  }

  void share_computation(const Weighed& of, std::span<const PlaceTime> places, double ns,
                         std::int64_t at) {
    for (const PlaceTime& place : places) {
      const double share = ns * static_cast<double>(place.ns) / static_cast<double>(of.computed);
      Delay delay{DelayKind::computation, of.rank, place.region, place.site};
      if (of.imbalance > 0) add(delay, share * of.imbalance, at);
      if (of.imbalance >= 1) continue;
      delay.kind = of.other;
      delay.site = of.other_at;
      add(delay, share * (1 - of.imbalance), at);
    }
  }

  /// Passes `ns` on to waits of the awaited lane, in proportion to their lengths. Stores a rate per
  /// ns for the range, which is summed up when the waits are reached.
  void pass_on(std::uint32_t lane, const Weighed& of, double ns) {
    // With disagreeing clocks, do not pass anything on to finished waits.
    const std::uint32_t end = std::min(of.last_wait, open_[lane]);
    const std::uint32_t begin = of.first_wait;
    const std::vector<std::int64_t>& sums = sums_[lane];
    if (begin >= end || sums[end] <= sums[begin]) return;
    const double rate = ns / static_cast<double>(sums[end] - sums[begin]);
    pending_[lane][end - 1] += rate;
    if (begin > 0) pending_[lane][begin - 1] -= rate;
    if (ns <= best_ns_) return;
    std::uint32_t longest = end - 1;
    for (std::uint32_t i = end; i > begin && i + kSearchedWaits > end; --i) {
      if (length_of(lane, i - 1) > length_of(lane, longest)) longest = i - 1;
    }
    best_ns_ = ns;
    best_ = kNone;
    through_ = longest;
  }

  const Lanes& lanes_;
  const std::vector<std::vector<std::int64_t>>& sums_;
  Delays delays_;
  std::unordered_map<Delay, std::uint32_t, DelayHash> known_;
  std::vector<std::vector<std::uint32_t>> main_;  ///< by lane and wait: the delay of most of it
  std::vector<PassedOn> passed_on_;
  std::vector<std::vector<double>> pending_;  ///< by lane and wait: change of the rate
  std::vector<double> rate_;                  ///< by lane: passed on to a wait, per ns
  std::vector<std::uint32_t> open_;           ///< by lane: waits that are not yet attributed
  // What explains most of the current wait: a delay, or a wait of the awaited lane.
  std::uint32_t best_ = kNone, through_ = kNone;
  double best_ns_ = 0;
};

/// Collective. Gives process 0 the sums of all lanes.
std::vector<std::vector<std::int64_t>> gather_sums(const Lanes& lanes, const Waits& waits,
                                                   Processes& processes) {
  std::vector<std::vector<std::vector<std::int64_t>>> to(size_of(&processes));
  to.front().assign(waits.sums.begin() + static_cast<std::ptrdiff_t>(lanes.own.first),
                    waits.sums.begin() + static_cast<std::ptrdiff_t>(lanes.own.last));
  return joined(swap_lists(processes, to));
}

}  // namespace

Delays find_delays(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                   const Intervals& intervals, unsigned threads, Processes* processes) {
  LatestFirst<WeighedBlock> order(
      lanes, waits,
      [&] {
        return [scales = Scales(trace, lanes, waits, intervals)](
                   const OrderedWait& id, const Wait& wait, WeighedBlock& block) mutable {
          scales.weigh(id, wait, block);
        };
      },
      kTogether, threads, processes);
  std::vector<std::vector<std::int64_t>> gathered;
  if (size_of(processes) > 1) gathered = gather_sums(lanes, waits, *processes);
  std::optional<Propagation> all;
  if (rank_of(processes) == 0) all.emplace(lanes, gathered.empty() ? waits.sums : gathered);
  std::vector<LatestFirst<WeighedBlock>::Item> items;
  while (order.next(items)) {
    for (const auto& item : items) {
      const Weighed& of = item.block->of[item.index];
      all->share_out(*item.id, of,
                     std::span(item.block->places).subspan(of.first_place, of.places));
    }
  }
  return all ? all->result() : Delays{};
}

}  // namespace plait::analysis
