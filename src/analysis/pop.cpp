// SPDX-License-Identifier: BSD-3-Clause
// POP's efficiencies (co-design.pop-coe.eu/metrics), in both hybrid definitions.
#include "analysis/pop.hpp"

#include <algorithm>
#include <numeric>

namespace plait::analysis {
namespace {

using trace::EventKind;
using trace::kNone;

double seconds(std::int64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

/// The lane of a rank that is longest inside MPI; kNone: the rank has none.
std::uint32_t busiest_lane(const Lanes& lanes, std::uint32_t rank) {
  std::uint32_t busiest = kNone;
  std::int64_t most = -1;
  for (const std::uint32_t number : lanes.of[rank]) {
    if (number == kNone) continue;
    const Lane& lane = lanes.all[number];
    const std::int64_t in_calls =
        lane.end - lane.begin -
        lane.computed_until(lane.end, static_cast<std::uint32_t>(lane.calls.size()));
    if (in_calls <= most) continue;
    most = in_calls;
    busiest = number;
  }
  return busiest;
}

/// Time outside parallel regions of the main thread, and busy time of each thread within them.
void add_threads(const trace::Trace& trace, const trace::Rank& rank, RankUse& use) {
  double serial = use.useful_s;
  std::vector<double> busy;
  for (std::size_t i = 0; i < rank.streams.size(); ++i) {
    double of_thread = 0;
    bool works = i == 0;
    for (const trace::Event& event : rank.streams[i].events) {
      const EventKind kind = trace.shape(event).kind;
      if (kind == EventKind::kParallel && i == 0)
        use.parallel_s += seconds(event.end - event.begin);
      if (kind != EventKind::kWork) continue;
      works = true;
      of_thread += seconds(event.end - event.begin) - static_cast<double>(event.bytes) * 1e-9;
    }
    if (works) busy.push_back(std::max(0.0, of_thread));
  }
  const bool seen = std::ranges::any_of(busy, [](double of_thread) { return of_thread > 0; });
  if (!seen || use.parallel_s <= 0) return;
  serial = std::max(0.0, serial - use.parallel_s);
  busy.front() += serial;
  use.threads_s = std::move(busy);
}

struct Useful {
  double sum = 0, longest = 0;
  std::size_t count = 0;
  [[nodiscard]] double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
  void add(double one) {
    sum += one;
    longest = std::max(longest, one);
    ++count;
  }
};

Useful processes(const std::vector<RankUse>& ranks) {
  Useful useful;
  for (const RankUse& rank : ranks) useful.add(rank.useful_s);
  return useful;
}

/// All threads; a rank without OpenMP is one thread. Empty when no rank has OpenMP.
std::optional<Useful> threads(const std::vector<RankUse>& ranks) {
  Useful useful;
  bool any = false;
  for (const RankUse& rank : ranks) {
    any = any || !rank.threads_s.empty();
    if (rank.threads_s.empty()) useful.add(rank.useful_s);
    for (const double thread : rank.threads_s) useful.add(thread);
  }
  return any ? std::optional(useful) : std::nullopt;
}

std::optional<double> ratio(double part, double whole) {
  return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

/// Threads' time lost while only the main thread computes, as a share of all threads' time, with
/// `time_s` the run's length (POP's Amdahl loss).
double serial_loss(const std::vector<RankUse>& ranks, double time_s, std::size_t thread_count) {
  double lost = 0;
  for (const RankUse& rank : ranks) {
    if (rank.threads_s.empty()) continue;
    const double serial = std::max(0.0, rank.useful_s - rank.parallel_s);
    lost += serial * static_cast<double>(rank.threads_s.size() - 1);
  }
  return lost / (time_s * static_cast<double>(thread_count));
}

/// Time outside MPI, each rank counted once for each of its threads, as a share of all.
double process_share(const std::vector<RankUse>& ranks, double time_s) {
  double useful = 0;
  double all = 0;
  for (const RankUse& rank : ranks) {
    const auto count = static_cast<double>(std::max<std::size_t>(1, rank.threads_s.size()));
    useful += rank.useful_s * count;
    all += time_s * count;
  }
  return all > 0 ? useful / all : 0;
}

}  // namespace

std::vector<RankUse> rank_use(const Lanes& lanes, const Waits& waits, std::int64_t begin,
                              std::int64_t end) {
  std::vector<RankUse> ranks;
  for (std::uint32_t rank = 0; rank < lanes.of.size(); ++rank) {
    const std::uint32_t number = busiest_lane(lanes, rank);
    if (number == kNone) continue;
    const Lane& lane = lanes.all[number];
    const auto middle = static_cast<std::uint32_t>(lane.calls.size() / 2);
    const auto computed = [&](std::int64_t t) {
      return lane.computed_until(std::clamp(t, lane.begin, lane.end), middle);
    };
    RankUse& use = ranks.emplace_back();
    use.useful_s = seconds(computed(end) - computed(begin));
    const auto some = static_cast<std::uint32_t>(waits.of[number].size() / 2);
    use.waiting_s = seconds(waits.until(number, end, some) - waits.until(number, begin, some));
    const std::int64_t absent = std::clamp(lane.begin, begin, end) - begin;
    use.waiting_s += seconds(absent);
  }
  return ranks;
}

std::vector<RankUse> rank_use(const trace::Trace& trace, const Lanes& lanes, const Waits& waits) {
  std::vector<RankUse> ranks = rank_use(lanes, waits, lanes.begin, lanes.end);
  std::size_t next = 0;
  for (std::uint32_t rank = 0; rank < lanes.of.size(); ++rank) {
    if (busiest_lane(lanes, rank) == kNone) continue;
    add_threads(trace, trace.ranks[rank], ranks[next++]);
  }
  return ranks;
}

PopSet multiplicative(const std::vector<RankUse>& ranks, double time_s,
                      std::optional<double> ideal_s) {
  PopSet set;
  set.definition = "multiplicative";
  set.time_s = time_s;
  set.ideal_s = ideal_s;
  const Useful of = processes(ranks);
  if (of.longest <= 0 || time_s <= 0) return set;
  set.load_balance = of.mean() / of.longest;
  set.communication = of.longest / time_s;
  set.mpi_parallel = of.mean() / time_s;
  set.parallel = set.mpi_parallel;
  if (ideal_s && *ideal_s > 0) {
    set.serialization = of.longest / *ideal_s;
    set.transfer = *set.communication / *set.serialization;
  }
  const std::optional<Useful> all = threads(ranks);
  if (!all || all->longest <= 0) return set;
  set.parallel = all->mean() / time_s;
  set.openmp_parallel = ratio(*set.parallel, *set.mpi_parallel);
  set.openmp_load_balance = ratio(all->mean() / all->longest, *set.load_balance);
  set.openmp_communication = ratio(all->longest / time_s, *set.communication);
  return set;
}

PopSet additive(const std::vector<RankUse>& ranks, double time_s, std::optional<double> ideal_s) {
  PopSet set;
  set.definition = "additive";
  set.time_s = time_s;
  set.ideal_s = ideal_s;
  const Useful of = processes(ranks);
  if (of.longest <= 0 || time_s <= 0) return set;
  set.load_balance = 1 - (of.longest - of.mean()) / time_s;
  set.communication = of.longest / time_s;
  set.mpi_parallel = *set.load_balance + *set.communication - 1;
  set.parallel = set.mpi_parallel;
  if (ideal_s && *ideal_s > 0) {
    set.serialization = 1 - (*ideal_s - of.longest) / time_s;
    set.transfer = *ideal_s / time_s;
  }
  const std::optional<Useful> all = threads(ranks);
  if (!all) return set;
  // Ranks may differ in their numbers of threads; a process then counts by its threads.
  const double process = process_share(ranks, time_s);
  const double lost = process - all->mean() / time_s;
  set.openmp_parallel = 1 - lost;
  set.openmp_serial = 1 - serial_loss(ranks, time_s, all->count);
  set.openmp_region = *set.openmp_parallel + 1 - *set.openmp_serial;
  set.parallel = *set.mpi_parallel + *set.openmp_parallel - 1;
  return set;
}

double ideal_by_waits(const std::vector<RankUse>& ranks) {
  double longest = 0;
  for (const RankUse& rank : ranks) longest = std::max(longest, rank.useful_s + rank.waiting_s);
  return longest;
}

PopSet efficiencies_of_window(const Lanes& lanes, const Waits& waits, std::int64_t begin,
                              std::int64_t end) {
  const std::vector<RankUse> ranks = rank_use(lanes, waits, begin, end);
  PopSet set = multiplicative(ranks, seconds(end - begin), ideal_by_waits(ranks));
  set.definition += ", wait states";
  return set;
}

}  // namespace plait::analysis
