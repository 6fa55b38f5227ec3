// SPDX-License-Identifier: BSD-3-Clause
// Sums up the results of delay analysis by kind, rank and place.
#include "analysis/causes.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analysis/delays.hpp"
#include "analysis/shares.hpp"
#include "analysis/stalled_partners.hpp"

namespace plait::analysis {
namespace {

using trace::kNone;

constexpr std::size_t kNamedRanks = 8;

/// Fraction of all waiting; smaller causes are noise.
constexpr double kNegligible = 1e-4;

/// Computation of ranks in the places of causes.
class PlaceTimes {
public:
  /// Collective.
  /// @param causes  process 0 decides which times all processes know: of the ranks of these causes,
  ///                and of those that they delay
  PlaceTimes(const trace::Trace& trace, const Lanes& lanes, const std::vector<RootCause>& causes,
             unsigned threads, Processes* processes) {
    for (const RootCause& cause : causes) {
      if (cause.kind != "computation") continue;
      places_.push_back(place_of(cause, cause.rank));
      for (const int rank : cause.delayed) places_.push_back(place_of(cause, rank));
    }
    std::ranges::sort(places_);
    places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
    broadcast(processes, 0, places_);
    if (places_.empty()) return;
    times_.resize(places_.size(), 0);
    Shares(lanes.shares, processes, threads).for_own([&](const IndexRange& range) {
      for_ranks(lanes, range, [&](std::uint32_t rank) { add_rank(trace, lanes, rank); });
    });
    combine(processes, times_, kAdd);
  }

  /// How much longer the cause's rank computes there than the mean of the ranks it delays, s; 0 if
  /// some of these compute elsewhere.
  [[nodiscard]] double excess(const RootCause& cause) const {
    std::int64_t others = 0;
    for (const int rank : cause.delayed) {
      const std::int64_t other = time(cause, rank);
      if (other == 0) return 0;
      others += other;
    }
    const double mean = to_seconds(others) / static_cast<double>(cause.delayed.size());
    return std::max(0.0, to_seconds(time(cause, cause.rank)) - mean);
  }

private:
  using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // rank, region, site

  static Place place_of(const RootCause& cause, int rank) {
    return {static_cast<std::uint32_t>(rank), cause.region, cause.before_site};
  }

  void add_rank(const trace::Trace& trace, const Lanes& lanes, std::uint32_t rank) {
    const auto first = std::ranges::lower_bound(places_, Place{rank, 0, 0});
    const auto behind = std::ranges::lower_bound(places_, Place{rank + 1, 0, 0});
    if (first == behind) return;
    for (const std::uint32_t number : lanes.of[rank]) {
      if (number == kNone || lanes.all[number].calls.empty()) continue;
      const Lane& lane = lanes.all[number];
      const auto last = static_cast<std::uint32_t>(lane.calls.size() - 1);
      for (SegmentsBefore at(trace, lane, last); at.more(); at.step()) {
        if (!at.on_cpu()) continue;
        const Place place{rank, at.region(), at.site()};
        const auto found = std::lower_bound(first, behind, place);
        if (found == behind || *found != place) continue;
        times_[static_cast<std::size_t>(found - places_.begin())] += at.end() - at.begin();
      }
    }
  }

  [[nodiscard]] std::int64_t time(const RootCause& cause, int rank) const {
    const auto found = std::ranges::lower_bound(places_, place_of(cause, rank));
    return times_[static_cast<std::size_t>(found - places_.begin())];
  }

  std::vector<Place> places_;        // ascending
  std::vector<std::int64_t> times_;  // ns; 0: it does not compute there
};

/// A cause and the sums it is built from.
struct Collected {
  RootCause cause;
  std::unordered_map<int, std::int64_t> delayed;           ///< by rank, ns
  std::map<int, std::pair<double, std::int64_t>> workers;  ///< seconds, first time waited for
  std::map<std::uint32_t, double> sites;
};

/// Serialization, transfer and waiting for a CPU belong to no single rank.
bool is_of_all(DelayKind kind) {
  return kind == DelayKind::serialization || kind == DelayKind::calls ||
         kind == DelayKind::cpu_wait;
}

const char* name_of(DelayKind kind) {
  switch (kind) {
    case DelayKind::computation:
      return "computation";
    case DelayKind::serialization:
      return "serialization";
    case DelayKind::late_receive:
      return "late posted receive";
    case DelayKind::lock:
      return "lock contention";
    case DelayKind::no_progress:
      return "wait for progress";
    case DelayKind::late_start:
      return "late start";
    case DelayKind::cpu_wait:
      return kCpuWait;
    case DelayKind::calls:
      break;
  }
  return "transfer";
}

/// The ranks that waited for a cause, longest first, without its own rank, which it can also delay.
std::vector<int> most_delayed(const Collected& of) {
  std::vector<std::pair<std::int64_t, int>> order;
  for (const auto& [rank, ns] : of.delayed) {
    if (rank != of.cause.rank) order.emplace_back(-ns, rank);
  }
  std::ranges::sort(order);
  std::vector<int> ranks;
  for (const auto& [ns, rank] : order) {
    if (ranks.size() < kNamedRanks) ranks.push_back(rank);
  }
  return ranks;
}

/// The ranks that account for most of it, in order of time.
std::vector<int> chain_of(const Collected& of) {
  std::vector<std::tuple<double, int>> costliest;
  for (const auto& [rank, worker] : of.workers) costliest.emplace_back(-worker.first, rank);
  std::ranges::sort(costliest);
  if (costliest.size() > kNamedRanks) costliest.resize(kNamedRanks);
  std::vector<std::tuple<std::int64_t, int>> by_time;
  for (const auto& [seconds, rank] : costliest) {
    by_time.emplace_back(of.workers.at(rank).second, rank);
  }
  std::ranges::sort(by_time);
  std::vector<int> ranks;
  for (const auto& [first, rank] : by_time) ranks.push_back(rank);
  return ranks;
}

std::vector<Collected> collect(const Delays& delays) {
  std::vector<Collected> all;
  std::vector<std::size_t> number_of;  // by delay
  std::map<DelayKind, std::size_t> common;
  for (const DelaySum& sum : delays.sums) {
    std::size_t number = all.size();
    if (is_of_all(sum.delay.kind))
      number = common.try_emplace(sum.delay.kind, number).first->second;
    number_of.push_back(number);
    if (number == all.size()) {
      RootCause& cause = all.emplace_back().cause;
      cause.kind = name_of(sum.delay.kind);
      if (!is_of_all(sum.delay.kind)) {
        cause.rank = static_cast<int>(sum.delay.rank);
        cause.region = sum.delay.region;
        cause.before_site = sum.delay.site;
      }
    }
    Collected& of = all[number];
    of.cause.seconds += sum.ns * 1e-9;
    of.sites[sum.delay.site] += sum.ns;
    auto [worker, is_new] =
        of.workers.try_emplace(static_cast<int>(sum.delay.rank), 0.0, sum.first);
    worker->second.first += sum.ns * 1e-9;
    worker->second.second = std::min(worker->second.second, sum.first);
  }
  for (std::size_t delay = 0; delay < number_of.size(); ++delay) {
    for (const auto& [rank, ns] : delays.delayed[delay]) {
      all[number_of[delay]].delayed[static_cast<int>(rank)] += ns;
    }
  }
  return all;
}

/// Outside wait states, ns.
struct Stalls {
  std::int64_t own = 0;       ///< without a CPU
  std::int64_t partners = 0;  ///< in calls, while a partner had none
};

void add_stalls(const trace::Trace& trace, const Lanes& lanes, const Lane& lane,
                const std::vector<Wait>& waits, Stalls& sum) {
  for (const Segment& segment : lane.segments) {  // without a list: always on a CPU
    if (!segment.on_cpu) sum.own += segment.end - segment.begin;
  }
  auto wait = waits.begin();
  for (std::uint32_t i = 0; i < lane.calls.size(); ++i) {
    const Call& call = lane.calls[i];
    std::int64_t rest = call.end - call.begin, since = call.begin;
    for (; wait != waits.end() && wait->call <= i; ++wait) {
      rest -= wait->end - wait->begin;
      since = std::max(since, wait->end);
    }
    const std::int64_t here = std::clamp<std::int64_t>(rest, 0, lane.stalled_in(i));
    sum.own += here;
    sum.partners += lost_to_partner(trace, lanes, lane, i, {since, rest, here});
  }
}

/// Collective. Adds what the ranks waited for a CPU themselves to what others waited for them.
void add_cpu_wait(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                  unsigned threads, Processes* processes, std::vector<RootCause>& causes) {
  if (std::ranges::all_of(lanes.all, [](const Lane& lane) { return lane.stalls.empty(); })) return;
  const Stalls sum =
      Shares(lanes.shares, processes, threads)
          .sum(
              Stalls(),
              [&](const IndexRange& range, Stalls& of_range) {
                for (std::size_t lane = range.first; lane < range.last; ++lane) {
                  add_stalls(trace, lanes, lanes.all[lane], waits.of[lane], of_range);
                }
              },
              [](const Stalls& later, Stalls& all) {
                all.own += later.own;
                all.partners += later.partners;
              });
  if (sum.own <= 0) return;
  auto cause = std::ranges::find(causes, std::string(kCpuWait), &RootCause::kind);
  if (cause == causes.end()) {
    causes.emplace_back().kind = kCpuWait;
    cause = causes.end() - 1;
  }
  cause->seconds += to_seconds(sum.own + sum.partners);
  cause->own_excess_s = to_seconds(sum.own);
}

}  // namespace

std::vector<RootCause> find_causes(const trace::Trace& trace, const Lanes& lanes,
                                   const Waits& waits, const Intervals& intervals, unsigned threads,
                                   Processes* processes) {
  const Delays delays = find_delays(trace, lanes, waits, intervals, threads, processes);
  std::int64_t waited = 0;  // by own lanes, then by all
  for (std::size_t lane = lanes.own.first; lane < lanes.own.last; ++lane) {
    waited += waits.sums[lane].back();
  }
  std::vector<std::int64_t> all{waited};
  combine(processes, all, kAdd);
  const double negligible_s = kNegligible * to_seconds(all.front());
  std::vector<RootCause> causes;
  for (Collected& of : collect(delays)) {
    if (of.cause.seconds < negligible_s) continue;
    of.cause.delayed = most_delayed(of);
    if (of.cause.rank < 0) {
      of.cause.before_site = std::ranges::max_element(of.sites, {}, [](const auto& site) {
                               return site.second;
                             })->first;
    }
    if (of.cause.kind == "serialization") of.cause.chain = chain_of(of);
    causes.push_back(std::move(of.cause));
  }
  const PlaceTimes times(trace, lanes, causes, threads, processes);
  for (RootCause& cause : causes) {
    if (cause.kind != "computation" || cause.delayed.empty()) continue;
    cause.own_excess_s = times.excess(cause);
  }
  add_cpu_wait(trace, lanes, waits, threads, processes, causes);
  sort_causes(causes);
  return causes;
}

void sort_causes(std::vector<RootCause>& causes) {
  std::ranges::stable_sort(causes, [](const RootCause& a, const RootCause& b) {
    return std::tuple(a.kind == kCpuWait, -a.seconds) < std::tuple(b.kind == kCpuWait, -b.seconds);
  });
}

}  // namespace plait::analysis
