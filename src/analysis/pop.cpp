// SPDX-License-Identifier: BSD-3-Clause
// Computes POP efficiencies (co-design.pop-coe.eu/metrics) in both hybrid definitions.
#include "analysis/pop.hpp"

#include <algorithm>
#include <numeric>

#include "analysis/shares.hpp"
#include "trace/outermost.hpp"

namespace plait::analysis {
namespace {

using trace::EventKind;
using trace::kNone;

/// The lane of a rank with the most time in MPI; kNone: none.
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

/// Time of a thread outside MPI, within the analyzed time of its rank. `lane` is null when the
/// thread never calls MPI.
class OutsideMpi {
public:
  OutsideMpi(const trace::Rank& rank, const Lane* lane) : rank_(rank), lane_(lane) {}

  /// ns between the two times.
  std::int64_t between(std::int64_t begin, std::int64_t end) {
    begin = std::clamp(begin, rank_.begin, rank_.end);
    end = std::clamp(end, rank_.begin, rank_.end);
    if (lane_ == nullptr) return end - begin;
    near_ = lane_->calls_begun(begin, near_);
    return lane_->computed_until(end, near_) - lane_->computed_until(begin, near_);
  }

private:
  const trace::Rank& rank_;
  const Lane* lane_;
  std::uint32_t near_ = 0;
};

/// How long the thread waited for a CPU, ns.
std::int64_t waited(const trace::Stream& stream) {
  std::int64_t sum = 0;
  for (const trace::CpuWait& wait : stream.cpu_waits) sum += wait.before_ns + wait.inside_ns;
  return sum;
}

/// Adds the busy time of each thread in parallel regions, and of the main thread outside them.
void add_threads(const trace::Trace& trace, const Lanes& lanes, std::uint32_t number,
                 RankUse& use) {
  const trace::Rank& rank = trace.ranks[number];
  std::int64_t in_regions = 0;
  std::vector<double> busy;
  for (std::size_t i = 0; i < rank.streams.size(); ++i) {
    const std::uint32_t at = lanes.of[number][i];
    OutsideMpi outside(rank, at == kNone ? nullptr : &lanes.all[at]);
    std::int64_t of_thread = 0;
    bool works = i == 0;
    trace::for_outermost(
        trace, rank.streams[i], EventKind::work, [&](const trace::OpenMpPart& part) {
          works = true;
          of_thread += std::max<std::int64_t>(0, outside.between(part.begin, part.end) - part.idle);
        });
    // In a thread that calls MPI, waiting for a CPU is outside computation already.
    if (at == kNone) of_thread = std::max<std::int64_t>(0, of_thread - waited(rank.streams[i]));
    if (works) busy.push_back(to_seconds(of_thread));
    if (i > 0) continue;
    trace::for_outermost(trace, rank.streams[i], EventKind::parallel,
                         [&](const trace::OpenMpPart& part) {
                           in_regions += outside.between(part.begin, part.end);
                         });
  }
  const bool seen = std::ranges::any_of(busy, [](double of_thread) { return of_thread > 0; });
  const std::uint32_t main = lanes.main_of[number];
  if (!seen || main == kNone || lanes.all[main].calls.empty()) return;
  const Lane& of_main = lanes.all[main];
  const auto last = static_cast<std::uint32_t>(of_main.calls.size() - 1);
  use.serial_s = std::max(0.0, to_seconds(of_main.computed_before(last) - in_regions));
  busy.front() += use.serial_s;
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

/// Useful time of all threads; a rank without OpenMP counts as one thread. Empty without OpenMP.
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

/// Time that threads lose while only the main thread computes, as a share of all threads' time, for
/// a run of `time_s` (POP's Amdahl loss).
double serial_loss(const std::vector<RankUse>& ranks, double time_s, std::size_t thread_count) {
  double lost = 0;
  for (const RankUse& rank : ranks) {
    if (rank.threads_s.empty()) continue;
    lost += rank.serial_s * static_cast<double>(rank.threads_s.size() - 1);
  }
  return lost / (time_s * static_cast<double>(thread_count));
}

/// Time outside MPI as a share of all time, with each rank weighted by its threads.
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

/// At least the share of the longest computation, which remains.
double cpu_factor(const Useful& of, double time_s, double lost_s) {
  return std::max(1 - lost_s / time_s, std::min(1.0, of.longest / time_s));
}

PopSet empty_set(const char* definition, double time_s, std::optional<double> ideal_s) {
  PopSet set;
  set.definition = definition;
  set.time_s = time_s;
  set.ideal_s = ideal_s;
  return set;
}

/// @param number  of the lane of a rank with the most time in MPI
RankUse use_of(const Lanes& lanes, const Waits& waits, std::uint32_t number, std::int64_t begin,
               std::int64_t end) {
  const Lane& lane = lanes.all[number];
  const auto middle = static_cast<std::uint32_t>(lane.calls.size() / 2);
  const auto computed = [&](std::int64_t t) {
    return lane.computed_until(std::clamp(t, lane.begin, lane.end), middle);
  };
  RankUse use;
  use.useful_s = to_seconds(computed(end) - computed(begin));
  const auto some = static_cast<std::uint32_t>(waits.of[number].size() / 2);
  use.waiting_s = to_seconds(waits.until(number, end, some) - waits.until(number, begin, some));
  const auto last = static_cast<std::uint32_t>(lane.calls.size());
  const auto stalled = [&](std::int64_t t) {
    const std::uint32_t begun = lane.calls_begun(t, std::min(middle, last));
    return begun == 0 ? 0 : lane.stalled_before(begun - 1);
  };
  use.stalled_s = to_seconds(stalled(end) - stalled(begin));
  const std::int64_t absent = std::clamp(lane.begin, begin, end) - begin;
  use.waiting_s += to_seconds(absent);
  return use;
}

/// Collective. Lists use(rank, busiest lane) of all ranks that have one.
template <class Use>
std::vector<RankUse> list_ranks(const Lanes& lanes, unsigned threads, Processes* processes,
                                Use use) {
  return Shares(lanes.shares, processes, threads)
      .sum(
          std::vector<RankUse>(),
          [&](const IndexRange& range, std::vector<RankUse>& ranks) {
            for_ranks(lanes, range, [&](std::uint32_t rank) {
              const std::uint32_t lane = busiest_lane(lanes, rank);
              if (lane != kNone) ranks.push_back(use(rank, lane));
            });
          },
          kAppend);
}

}  // namespace

std::vector<RankUse> rank_use(const Lanes& lanes, const Waits& waits, std::int64_t begin,
                              std::int64_t end, unsigned threads, Processes* processes) {
  return list_ranks(lanes, threads, processes, [&](std::uint32_t /*rank*/, std::uint32_t lane) {
    return use_of(lanes, waits, lane, begin, end);
  });
}

std::vector<RankUse> rank_use(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                              unsigned threads, Processes* processes) {
  return list_ranks(lanes, threads, processes, [&](std::uint32_t rank, std::uint32_t lane) {
    RankUse use = use_of(lanes, waits, lane, lanes.begin, lanes.end);
    add_threads(trace, lanes, rank, use);
    return use;
  });
}

PopSet multiplicative(const std::vector<RankUse>& ranks, double time_s,
                      std::optional<double> ideal_s, double lost_s) {
  PopSet set = empty_set("multiplicative", time_s, ideal_s);
  const Useful of = processes(ranks);
  if (of.longest <= 0 || time_s <= 0) return set;
  set.cpu = cpu_factor(of, time_s, lost_s);
  set.load_balance = of.mean() / of.longest;
  set.communication = of.longest / (time_s * *set.cpu);
  set.mpi_parallel = of.mean() / time_s;
  set.parallel = set.mpi_parallel;
  if (ideal_s && *ideal_s > 0) {
    set.serialization = of.longest / *ideal_s;
    set.transfer = *set.communication / *set.serialization;
    if (lost_s > 0 && *set.transfer > 1) {
      // The ideal run waits for the ranks that waited for a CPU.
      set.transfer = 1;
      set.serialization = set.communication;
    }
  }
  const std::optional<Useful> all = threads(ranks);
  if (!all || all->longest <= 0) return set;
  set.parallel = all->mean() / time_s;
  set.openmp_parallel = ratio(*set.parallel, *set.mpi_parallel);
  set.openmp_load_balance = ratio(all->mean() / all->longest, *set.load_balance);
  set.openmp_communication = ratio(all->longest / (time_s * *set.cpu), *set.communication);
  return set;
}

PopSet additive(const std::vector<RankUse>& ranks, double time_s, std::optional<double> ideal_s,
                double lost_s) {
  PopSet set = empty_set("additive", time_s, ideal_s);
  const Useful of = processes(ranks);
  if (of.longest <= 0 || time_s <= 0) return set;
  set.load_balance = 1 - (of.longest - of.mean()) / time_s;
  set.cpu = cpu_factor(of, time_s, lost_s);
  set.communication = of.longest / time_s + 1 - *set.cpu;
  set.mpi_parallel = *set.cpu + *set.load_balance + *set.communication - 2;
  set.parallel = set.mpi_parallel;
  if (ideal_s && *ideal_s > 0) {
    set.serialization = 1 - (*ideal_s - of.longest) / time_s;
    set.transfer = *ideal_s / time_s + 1 - *set.cpu;
    if (lost_s > 0 && *set.transfer > 1) {
      set.transfer = 1;
      set.serialization = set.communication;
    }
  }
  const std::optional<Useful> all = threads(ranks);
  if (!all) return set;
  // Processes are weighted by their threads because ranks may have different numbers of threads.
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
                              std::int64_t end, unsigned threads, Processes* processes) {
  const std::vector<RankUse> ranks = rank_use(lanes, waits, begin, end, threads, processes);
  double stalled = 0;
  for (const RankUse& rank : ranks) stalled = std::max(stalled, rank.stalled_s);
  PopSet set = multiplicative(ranks, to_seconds(end - begin), ideal_by_waits(ranks), stalled);
  set.definition += ", wait states";
  return set;
}

}  // namespace plait::analysis
