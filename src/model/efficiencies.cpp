// SPDX-License-Identifier: BSD-3-Clause
// Computes the POP efficiencies of a run from the times of its ranks and threads.
#include "model/efficiencies.hpp"

#include <algorithm>

namespace plait::model {
namespace {

double longest_useful(std::span<const RankTime> ranks) {
  double longest = 0;
  for (const RankTime& rank : ranks) longest = std::max(longest, useful_s(rank));
  return longest;
}

double run_time(std::span<const RankTime> ranks) {
  double longest = 0;
  for (const RankTime& rank : ranks) longest = std::max(longest, rank.wall_s);
  return longest;
}

/// An efficiency of at most 1: the clocks of two calls may disagree by a tick.
Efficiency measured(double value) {
  return {std::clamp(value, 0.0, 1.0), Kind::measured};
}

}  // namespace

std::string to_string(Kind kind) {
  switch (kind) {
    case Kind::measured:
      return "measured";
    case Kind::lower_bound:
      return "lower bound";
    case Kind::not_measured:
      break;
  }
  return "not measured";
}

double useful_s(const RankTime& rank) {
  return std::max(0.0, rank.wall_s - rank.mpi_s - rank.compute_wait_s);
}

Efficiency cpu_efficiency(std::span<const RankTime> ranks) {
  const double runtime = run_time(ranks);
  if (runtime <= 0) return {};
  double waited = 0;
  for (const RankTime& rank : ranks) waited = std::max(waited, rank.compute_wait_s);
  return measured(std::max(runtime - waited, longest_useful(ranks)) / runtime);
}

Efficiency load_balance(std::span<const RankTime> ranks) {
  const double longest = longest_useful(ranks);
  if (longest <= 0) return {};
  double sum = 0;
  for (const RankTime& rank : ranks) sum += useful_s(rank);
  return measured(sum / static_cast<double>(ranks.size()) / longest);
}

Efficiency communication(std::span<const RankTime> ranks) {
  const Efficiency cpu = cpu_efficiency(ranks);
  if (!cpu.value || *cpu.value <= 0) return {};
  return measured(longest_useful(ranks) / (run_time(ranks) * *cpu.value));
}

Efficiency bound_from_communication(const Efficiency& communication) {
  if (!communication.value) return {};
  return {communication.value, Kind::lower_bound};
}

Efficiency thread_efficiency(std::span<const ThreadTime> threads, bool visible) {
  double busy = 0;
  double idle = 0;
  for (const ThreadTime& thread : threads) {
    busy += thread.busy_s;
    idle += thread.idle_s;
  }
  if (!visible || busy + idle <= 0) return {};
  return measured(busy / (busy + idle));
}

Efficiencies efficiencies(std::span<const RankTime> ranks, std::span<const ThreadTime> threads,
                          bool openmp_visible) {
  Efficiencies all;
  all.cpu = cpu_efficiency(ranks);
  all.load_balance = load_balance(ranks);
  all.communication = communication(ranks);
  if (all.load_balance.value && all.communication.value) {
    all.parallel = measured(*all.cpu.value * *all.load_balance.value * *all.communication.value);
  }
  all.serialization = bound_from_communication(all.communication);
  all.transfer = bound_from_communication(all.communication);
  all.threads = thread_efficiency(threads, openmp_visible);
  double wall = 0;
  double cpu_wait = 0;
  for (const RankTime& rank : ranks) {
    wall += rank.wall_s * std::max(1, rank.threads);
    cpu_wait += rank.cpu_wait_s;
  }
  all.cpu_wait_fraction = wall > 0 ? cpu_wait / wall : 0;
  return all;
}

Losses losses(const Efficiencies& of) {
  if (!of.parallel.value || !of.communication.value) return {1, 0, 0, 0};
  const double cpu = of.cpu.value.value_or(1);
  const double communicating = cpu * *of.communication.value;
  return {*of.parallel.value, communicating - *of.parallel.value, cpu - communicating, 1 - cpu};
}

}  // namespace plait::model
