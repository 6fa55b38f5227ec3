// SPDX-License-Identifier: BSD-3-Clause
// Why the threads of a run waited for a CPU: its own threads, other programs, a quota, a
// hypervisor.
#include "report/contention.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace plait::report {
namespace {

/// Of a CPU: the kernel counts its use in ticks, and its own work is never zero.
constexpr double kNegligibleUse = 0.02;

struct Host {
  std::map<int, trace::CpuUse> cpus;  ///< on which ranks could run
  double wait_s = 0;                  ///< of all threads
  double own_cpu_s = 0;
  double throttled_s = 0;
  double elapsed_s = 0;
  int threads = 0;
};

void add(const Host& host, Contention& sum) {
  const auto cpus = static_cast<double>(host.cpus.size());
  double busy = 0;
  double steal = 0;
  for (const auto& [number, use] : host.cpus) {
    busy += use.busy_s;
    steal += use.steal_s;
  }
  double others = std::max(0.0, busy - host.own_cpu_s);
  if (others < kNegligibleUse * host.elapsed_s * cpus) others = 0;
  const double on_a_cpu = cpus > 0 ? std::max(1.0, host.threads / cpus) : 1;
  const double throttled = std::min(host.wait_s, host.throttled_s);
  const double rest = host.wait_s - throttled;
  const double own_use = host.own_cpu_s * (on_a_cpu - 1) / on_a_cpu;
  double by_others = others > 0 ? rest * others / (others + own_use) : 0;
  // While another program uses a CPU, only the threads on that CPU wait for it.
  by_others = std::min(by_others, others * on_a_cpu);
  sum.throttled_s += throttled;
  sum.other_programs_s += by_others;
  sum.own_ranks_s += rest - by_others;
  sum.steal_s += steal;
  sum.cpus += cpus;
  if (host.elapsed_s > 0) sum.other_cpus += others / host.elapsed_s;
  if (cpus > 0) sum.threads_per_cpu = std::max(sum.threads_per_cpu, host.threads / cpus);
}

}  // namespace

Contention contention_of(const Job& job, const std::vector<RankRow>& ranks) {
  std::map<std::string, Host> hosts;
  for (std::size_t i = 0; i < job.ranks.size(); ++i) {
    const trace::RankRecord& record = *job.ranks[i];
    Host& host = hosts[record.host];
    for (const trace::CpuUse& use : record.cpu_use) host.cpus.try_emplace(use.cpu, use);
    host.wait_s += ranks[i].cpu_wait_s;
    host.own_cpu_s += record.process_cpu_s;
    host.throttled_s = std::max(host.throttled_s, record.throttled_s);
    host.elapsed_s = std::max(host.elapsed_s, ranks[i].wall_s);
    host.threads += ranks[i].threads;
  }
  Contention sum;
  for (const auto& [name, host] : hosts) add(host, sum);
  return sum;
}

}  // namespace plait::report
