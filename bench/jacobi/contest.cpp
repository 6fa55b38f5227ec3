// SPDX-License-Identifier: BSD-3-Clause
// Times contestants that do the same work in turn, and computes their statistics.
#include "contest.hpp"

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <chrono>

#include "measure/affinity.hpp"

namespace plait::bench {
namespace {

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<int> read_mask() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace

void run_in_turn(std::vector<Contestant>& contestants, double budget_s, int most_rounds) {
  constexpr int fewest_rounds = 7;
  const double begin = now_s();
  for (int round = -1; round < most_rounds; ++round) {
    if (round >= fewest_rounds && now_s() - begin > budget_s) break;
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      Contestant& one = contestants[round % 2 == 0 ? i : contestants.size() - 1 - i];
      const double seconds = one.seconds();
      if (round >= 0) one.rates.push_back(one.updates / seconds);
    }
  }
}

MedianInterval mega_rate(const Contestant& contestant) {
  std::vector<double> rates = contestant.rates;
  for (double& rate : rates) rate /= 1e6;
  return median_interval(rates);
}

MedianInterval ratio(const Contestant& a, const Contestant& b) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < a.rates.size(); ++round) {
    ratios.push_back(a.rates[round] / b.rates[round]);
  }
  return median_interval(ratios);
}

double seconds_of(const std::function<void()>& body) {
  const double begin = now_s();
  body();
  return now_s() - begin;
}

double run_on_cores(int threads, const std::function<void(int, int)>& body) {
  const std::vector<int>& cpus = usable_cpus();
  double begin = 0;
#pragma omp parallel num_threads(threads)
  {
    const int thread = omp_get_thread_num();
    measure::bind_this_thread(cpus[static_cast<std::size_t>(thread) % cpus.size()]);
#pragma omp barrier
#pragma omp master
    begin = now_s();
    body(thread, threads);
  }
  return now_s() - begin;
}

const std::vector<int>& usable_cpus() {
  static const std::vector<int> cpus = read_mask();
  return cpus;
}

}  // namespace plait::bench
