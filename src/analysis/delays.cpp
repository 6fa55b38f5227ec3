// SPDX-License-Identifier: BSD-3-Clause
// Delay analysis: attributes all waiting to the computation and calls that caused it.
#include "analysis/delays.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "analysis/hash.hpp"
#include "base/parallel.hpp"

namespace plait::analysis {
namespace {

using trace::kNone;

/// Intervals with more segments are compared as a whole, and their last segments determine the
/// delaying place. Keeps the analysis linear in the events.
constexpr std::uint32_t kSegments = 64;

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

/// Computation of one place within an interval.
struct PlaceTime {
  std::uint32_t region, site;
  std::int64_t ns;
};

struct WaitId {
  std::int64_t end = 0;
  std::uint32_t lane = 0, number = 0;
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

/// Some waits, in the order in which they are shared out.
struct WeighedBlock {
  std::vector<Weighed> of;
  std::vector<PlaceTime> places;  ///< where the awaited lane computed longer than the waiting one
};

/// Weighs waits. Each is independent of the others.
class Scales {
public:
  Scales(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
         const Intervals& intervals)
      : trace_(trace), lanes_(lanes), waits_(waits), intervals_(intervals) {}

  void weigh(const WaitId& id, WeighedBlock& into) {
    const Wait& wait = waits_.of[id.lane][id.number];
    const Interval& interval = intervals_.of[id.lane][id.number];
    const Balance balance = balance_of(lanes_, waits_, id.lane, id.number, interval.since);
    const auto larger = [](std::int64_t theirs, std::int64_t ours) {
      return static_cast<double>(std::max<std::int64_t>(0, theirs - ours));
    };
    Weighed& of = into.of.emplace_back();
    of.computation = larger(balance.awaited_computed, balance.computed);
    of.waiting = larger(balance.awaited_waited, balance.waited);
    of.calls = larger(balance.awaited_called, balance.called);
    of.absence = larger(balance.awaited_absent, balance.absent);
    of.stalls = larger(balance.awaited_stalled, balance.stalled);
    if (of.computation + of.waiting + of.calls + of.absence + of.stalls <= 0) {
      // The clocks disagree here. Assume that the late rank was busy.
      (balance.awaited_computed > 0 ? of.computation : of.calls) = 1;
    }
    of.rank = lanes_.all[wait.by_lane].rank;
    if (of.calls > 0 || of.stalls > 0) {
      of.waits_at = site_of(trace_, lanes_.all[id.lane], wait.call);
    }
    if (of.waiting > 0) find_waits(wait, interval.since, of);
    if (of.computation > 0) weigh_computation(id, of, into.places);
  }

private:
  void find_waits(const Wait& wait, std::int64_t since, Weighed& of) const {
    const std::uint32_t guess = waits_.near(wait.by_lane, wait.by_call, lanes_);
    const std::int64_t until = lanes_.all[wait.by_lane].calls[wait.by_call].begin;
    of.last_wait = waits_.ended(wait.by_lane, until, guess);
    of.first_wait = waits_.ended(wait.by_lane, since, of.last_wait);
  }

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
  void weigh_computation(const WaitId& id, Weighed& of, std::vector<PlaceTime>& places) {
    const Wait& wait = waits_.of[id.lane][id.number];
    const Interval& interval = intervals_.of[id.lane][id.number];
    const Lane& theirs = lanes_.all[wait.by_lane];
    const Lane& ours = lanes_.all[id.lane];
    const auto in_window = [&](const Lane& lane, std::uint32_t near) {
      return lane.computed_until(interval.window_end, near) -
             lane.computed_until(interval.window_begin, near);
    };
    const auto net =
        static_cast<double>(in_window(theirs, wait.by_call) - in_window(ours, wait.call));
    const auto gross = static_cast<double>(intervals_.excess[id.lane][interval.pair]);
    of.imbalance = gross > 0 ? std::clamp(net / gross, 0.0, 1.0) : 1.0;
    find_places(id);
    of.first_place = static_cast<std::uint32_t>(places.size());
    for (const PlaceTime& place : places_) {
      if (place.ns <= 0) continue;
      of.computed += place.ns;
      places.push_back(place);
    }
    if (of.computed == 0) {
      of.computed = 1;
      places.push_back({kNone, site_of(trace_, theirs, wait.by_call), 1});
    }
    of.places = static_cast<std::uint32_t>(places.size()) - of.first_place;
    if (of.imbalance >= 1) return;
    of.other = kind_without_imbalance(wait.kind);
    of.other_at = of.other == DelayKind::serialization ? site_of(trace_, ours, wait.call)
                                                       : site_of(trace_, theirs, wait.by_call);
  }

  /// Finds where the awaited lane computed longer than the waiting one since both were in step.
  void find_places(const WaitId& id) {
    const Wait& wait = waits_.of[id.lane][id.number];
    const std::int64_t since = intervals_.of[id.lane][id.number].since;
    places_.clear();
    const bool all = add_places(lanes_.all[wait.by_lane], wait.by_call, since, 1);
    theirs_ = places_;
    // Compare only if both sides are complete.
    if (!all || !add_places(lanes_.all[id.lane], wait.call, since, -1)) places_ = theirs_;
  }

  bool add_places(const Lane& lane, std::uint32_t call, std::int64_t since, int sign) {
    std::uint32_t seen = 0;
    for (SegmentsBefore at(trace_, lane, call); at.more() && at.end() > since; at.step()) {
      if (!at.on_cpu()) continue;
      if (++seen > kSegments) return false;
      const std::uint32_t region = at.region(), site = at.site();
      const std::int64_t ns = sign * (at.end() - std::max(since, at.begin()));
      const auto found = std::ranges::find_if(places_, [&](const PlaceTime& place) {
        return place.region == region && place.site == site;
      });
      if (found != places_.end()) {
        found->ns += ns;
      } else if (sign > 0) {
        places_.push_back({region, site, ns});
      }
    }
    return true;
  }

  const trace::Trace& trace_;
  const Lanes& lanes_;
  const Waits& waits_;
  const Intervals& intervals_;
  std::vector<PlaceTime> places_, theirs_;
};

class Propagation {
public:
  Propagation(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
              const Intervals& intervals, unsigned threads)
      : trace_(trace), lanes_(lanes), waits_(waits), intervals_(intervals), threads_(threads) {}

  Delays run() {
    delays_.main.resize(lanes_.all.size());
    pending_.resize(lanes_.all.size());
    rate_.assign(lanes_.all.size(), 0);
    open_.resize(lanes_.all.size());
    for (std::size_t lane = 0; lane < lanes_.all.size(); ++lane) {
      delays_.main[lane].resize(waits_.of[lane].size());
      pending_[lane].assign(waits_.of[lane].size(), 0);
      open_[lane] = static_cast<std::uint32_t>(waits_.of[lane].size());
    }
    const std::vector<WaitId> order = latest_first();
    const std::span<const WaitId> all(order);
    for (std::size_t first = 0; first < all.size(); first += kTogether) {
      share_out(all.subspan(first, std::min(kTogether, all.size() - first)));
    }
    for (auto at = order.rbegin(); at != order.rend(); ++at) follow(*at);
    return std::move(delays_);
  }

private:
  /// Latest first, so that everything passed on to a wait is known when it is reached. Of waits
  /// that end at the same time, a wait precedes the own wait of the rank that ended it.
  std::vector<WaitId> latest_first() {
    std::vector<WaitId> order;
    std::size_t count = 0;
    for (const std::vector<Wait>& waits : waits_.of) count += waits.size();
    order.reserve(count);
    for (std::uint32_t lane = 0; lane < waits_.of.size(); ++lane) {
      for (std::uint32_t i = 0; i < waits_.of[lane].size(); ++i) {
        order.push_back({waits_.of[lane][i].end, lane, i});
      }
    }
    std::ranges::stable_sort(order, std::ranges::greater{}, &WaitId::end);
    for (std::size_t first = 0; first < order.size();) {
      std::size_t last = first + 1;
      while (last < order.size() && order[last].end == order[first].end) ++last;
      if (last - first > 1) sort_moment(std::span(order).subspan(first, last - first));
      first = last;
    }
    return order;
  }

  /// A lane has at most one wait that ends at a given time, so that each wait of the moment leads
  /// to at most one other.
  void sort_moment(std::span<WaitId> moment) {
    std::unordered_map<std::uint32_t, std::size_t> by_lane;
    for (std::size_t i = 0; i < moment.size(); ++i) by_lane[moment[i].lane] = i;
    const auto next = [&](std::size_t i) {
      const Wait& wait = waits_.of[moment[i].lane][moment[i].number];
      const auto found = by_lane.find(wait.by_lane);
      if (found == by_lane.end()) return moment.size();
      const WaitId& other = moment[found->second];
      return waits_.of[other.lane][other.number].call < wait.by_call ? found->second
                                                                     : moment.size();
    };
    std::vector<bool> placed(moment.size(), false);
    std::vector<WaitId> sorted;
    std::vector<std::size_t> path;
    for (std::size_t i = 0; i < moment.size(); ++i) {
      path.clear();
      for (std::size_t at = i; at < moment.size() && !placed[at]; at = next(at)) {
        placed[at] = true;
        path.push_back(at);
      }
      // What a path leads to was placed before. Paths are added from their ends, and the result is
      // reversed.
      for (auto at = path.rbegin(); at != path.rend(); ++at) sorted.push_back(moment[*at]);
    }
    std::copy(sorted.rbegin(), sorted.rend(), moment.begin());
  }

  /// Weighs waits on several threads, then shares them out, which depends on the order.
  void share_out(std::span<const WaitId> waits) {
    const std::vector<IndexRange> ranges = ranges_of(waits.size(), threads_);
    if (blocks_.size() < ranges.size()) blocks_.resize(ranges.size());
    for_each_index(
        ranges.size(),
        [&](std::size_t i) {
          Scales scales(trace_, lanes_, waits_, intervals_);
          blocks_[i].of.clear();
          blocks_[i].places.clear();
          for (std::size_t at = ranges[i].first; at < ranges[i].last; ++at) {
            scales.weigh(waits[at], blocks_[i]);
          }
        },
        threads_);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      for (std::size_t at = 0; at < blocks_[i].of.size(); ++at) {
        const Weighed& weighed = blocks_[i].of[at];
        share_out(waits[ranges[i].first + at], weighed,
                  std::span(blocks_[i].places).subspan(weighed.first_place, weighed.places));
      }
    }
  }

  void share_out(const WaitId& id, const Weighed& of, std::span<const PlaceTime> places) {
    const Wait& wait = waits_.of[id.lane][id.number];
    const auto own = static_cast<double>(wait.end - wait.begin);
    rate_[id.lane] += pending_[id.lane][id.number];
    open_[id.lane] = id.number;
    const double amount = own * (1 + rate_[id.lane]);
    const double scale = amount / (of.computation + of.waiting + of.calls + of.absence + of.stalls);
    best_ = {};
    best_ns_ = 0;
    if (of.computation > 0) share_computation(of, places, of.computation * scale, wait.end);
    if (of.calls > 0) {
      add({DelayKind::calls, of.rank, kNone, of.waits_at}, of.calls * scale, wait.end);
    }
    if (of.stalls > 0) {
      add({DelayKind::cpu_wait, of.rank, kNone, of.waits_at}, of.stalls * scale, wait.end);
    }
    if (of.absence > 0) {
      add({DelayKind::late_start, of.rank, kNone, kNone}, of.absence * scale, wait.end);
    }
    if (of.waiting > 0) pass_on(wait.by_lane, of, of.waiting * scale);
    delays_.main[id.lane][id.number] = best_;
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
      best_ = {found->second, kNone};
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
    const std::vector<Wait>& theirs = waits_.of[lane];
    // With disagreeing clocks, do not pass anything on to finished waits.
    const std::uint32_t end = std::min(of.last_wait, open_[lane]);
    const std::uint32_t begin = of.first_wait;
    const std::vector<std::int64_t>& sums = waits_.sums[lane];
    if (begin >= end || sums[end] <= sums[begin]) return;
    const double rate = ns / static_cast<double>(sums[end] - sums[begin]);
    pending_[lane][end - 1] += rate;
    if (begin > 0) pending_[lane][begin - 1] -= rate;
    if (ns <= best_ns_) return;
    std::uint32_t longest = end - 1;
    for (std::uint32_t i = end; i > begin && i + kSearchedWaits > end; --i) {
      if (theirs[i - 1].end - theirs[i - 1].begin > theirs[longest].end - theirs[longest].begin) {
        longest = i - 1;
      }
    }
    best_ns_ = ns;
    best_ = {kNone, longest};
  }

  /// Follows a wait to its root. Called in order of time, so earlier waits are already resolved.
  void follow(const WaitId& id) {
    MainDelay& main = delays_.main[id.lane][id.number];
    if (main.delay != kNone || main.through == kNone) return;
    main.delay = delays_.main[waits_.of[id.lane][id.number].by_lane][main.through].delay;
  }

  const trace::Trace& trace_;
  const Lanes& lanes_;
  const Waits& waits_;
  const Intervals& intervals_;
  const unsigned threads_;
  Delays delays_;
  std::unordered_map<Delay, std::uint32_t, DelayHash> known_;
  std::vector<std::vector<double>> pending_;  ///< by lane and wait: change of the rate
  std::vector<double> rate_;                  ///< by lane: passed on to a wait, per ns
  std::vector<std::uint32_t> open_;           ///< by lane: waits that are not yet attributed
  std::vector<WeighedBlock> blocks_;          ///< whose memory is used again
  MainDelay best_;
  double best_ns_ = 0;
};

}  // namespace

Delays find_delays(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                   const Intervals& intervals, unsigned threads) {
  return Propagation(trace, lanes, waits, intervals, threads).run();
}

}  // namespace plait::analysis
