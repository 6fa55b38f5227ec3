// SPDX-License-Identifier: BSD-3-Clause
// Measures memory bandwidth (STREAM), the floating-point peak, and the speed P(k) of the Jacobi
// kernel on 1..n cores.
#include "measure/memory_speed.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "measure/kernels.hpp"
#include "measure/pages.hpp"
#include "measure/summarize.hpp"

namespace plait::measure {
namespace {

constexpr double kFactor = 3.0;
/// The least duration of a Jacobi sample, which makes the clock and the barriers negligible.
constexpr double kJacobiSampleSeconds = 5e-3;

/// Part `index` of `parts` equal parts of 0..n, in multiples of `unit` except for the last.
std::pair<std::size_t, std::size_t> part_of(std::size_t n, int parts, int index, std::size_t unit) {
  const std::size_t units = n / unit;
  const auto edge = [&](int i) {
    return i == parts
               ? n
               : units * static_cast<std::size_t>(i) / static_cast<std::size_t>(parts) * unit;
  };
  return {edge(index), edge(index + 1)};
}

std::vector<bool> store_kinds(Isa isa) {
  return has_non_temporal_stores(isa) ? std::vector<bool>{false, true} : std::vector<bool>{false};
}

/// The arrays of STREAM, each page of which is near the thread that uses it.
class StreamArrays {
public:
  StreamArrays(Team& team, std::uint64_t array_bytes)
      : n_(array_bytes / sizeof(double)), a_(array_bytes), b_(array_bytes), c_(array_bytes) {
    team.run([&](int thread) {
      const auto [begin, end] = slab(team, thread);
      for (std::size_t i = begin; i < end; ++i) {
        a_.doubles()[i] = 1.0;
        b_.doubles()[i] = 2.0;
        c_.doubles()[i] = 0.0;
      }
    });
  }

  /// GB/s of one kernel on all elements.
  Sample rate(Team& team, StreamKernel kernel, StreamFunction function) const {
    const double seconds = team.time([&](int thread) {
      const auto [begin, end] = slab(team, thread);
      function(c_.doubles() + begin, a_.doubles() + begin, b_.doubles() + begin, kFactor,
               end - begin);
    });
    const double bytes = static_cast<double>(n_) * stream_bytes_per_element(kernel);
    return {bytes / seconds * 1e-9, team.waited()};
  }

private:
  [[nodiscard]] std::pair<std::size_t, std::size_t> slab(const Team& team, int thread) const {
    return part_of(n_, team.size(), thread, 512);
  }

  std::size_t n_;
  Pages a_;
  Pages b_;
  Pages c_;
};

/// GFLOP/s of multiply-adds in registers.
Sample peak_rate(Team& team, const KernelTable& kernels) {
  constexpr std::size_t kRounds = 200000;  // about a millisecond
  const auto threads = static_cast<std::size_t>(team.size());
  std::vector<double> sums(threads);  // used, so that the compiler keeps the work
  const double seconds = team.time(
      [&](int thread) { sums[static_cast<std::size_t>(thread)] = kernels.peak(0.5, kRounds); });
  return {kernels.peak_flops * static_cast<double>(kRounds * threads) / seconds * 1e-9,
          team.waited()};
}

}  // namespace

std::uint64_t last_level_bytes(const machine::Topology& topology, const std::vector<int>& cores) {
  int level = 0;
  for (const machine::Cache& cache : topology.caches) level = std::max(level, cache.level);
  std::uint64_t bytes = 0;
  for (const machine::Cache& cache : topology.caches) {
    const bool reached = std::any_of(cores.begin(), cores.end(), [&](int core) {
      return std::find(cache.cores.begin(), cache.cores.end(), core) != cache.cores.end();
    });
    if (cache.level == level && reached) bytes += cache.size_bytes;
  }
  return bytes > 0 ? bytes : std::uint64_t{32} << 20;
}

std::uint64_t stream_array_bytes(std::uint64_t last_level, std::uint64_t memory_bytes) {
  const std::uint64_t wanted = std::max(4 * last_level, std::uint64_t{16} << 20);
  return std::min(wanted, memory_bytes / 3) / 4096 * 4096;
}

int jacobi_edge(std::uint64_t last_level, std::uint64_t memory_bytes) {
  const std::uint64_t bytes =
      std::min(std::max(4 * last_level, std::uint64_t{16} << 20), memory_bytes);
  const double edge = std::cbrt(static_cast<double>(bytes) / (2.0 * sizeof(double)));
  const int multiple = static_cast<int>(std::ceil(edge / 8.0)) * 8;
  return std::max(16, multiple);
}

std::vector<int> core_counts(int n, int all_up_to) {
  std::vector<int> counts;
  for (int k = 1; k <= std::min(n, all_up_to); ++k) counts.push_back(k);
  for (int power = 1; power < n; power *= 2) {
    for (const int k : {power, power + power / 2}) {
      if (k > all_up_to && k < n) counts.push_back(k);
    }
  }
  if (n > all_up_to) counts.push_back(n);
  return counts;
}

std::vector<machine::StreamResult> measure_stream(const std::vector<int>& pus,
                                                  std::uint64_t array_bytes, const RoundsPlan& plan,
                                                  std::mt19937& random, Disturbance& disturbance) {
  const Isa isa = best_isa();
  Team team(pus);
  const StreamArrays arrays(team, array_bytes);

  std::vector<machine::StreamResult> results;
  std::vector<StreamFunction> functions;
  for (const StreamKernel kernel :
       {StreamKernel::copy, StreamKernel::scale, StreamKernel::add, StreamKernel::triad}) {
    for (const bool non_temporal : store_kinds(isa)) {
      functions.push_back(kernels_of(isa).stream[static_cast<int>(kernel)][non_temporal ? 1 : 0]);
      results.push_back({name_of(kernel), non_temporal, team.size(), array_bytes, {}});
    }
  }
  const std::size_t per_kernel = results.size() / 4;
  const RoundsResult rounds = sample_in_rounds(results.size(), plan, random, [&](std::size_t i) {
    return arrays.rate(team, static_cast<StreamKernel>(i / per_kernel), functions[i]);
  });
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].gbs = summarize(rounds.samples[i], rounds.disturbed[i]);
  }
  disturbance += team.disturbance();
  return results;
}

machine::PeakResult measure_peak(const std::vector<int>& pus, const RoundsPlan& plan,
                                 std::mt19937& random, Disturbance& disturbance) {
  const Isa isa = best_isa();
  Team team(pus);
  const RoundsResult rounds = sample_in_rounds(
      1, plan, random, [&](std::size_t) { return peak_rate(team, kernels_of(isa)); });
  disturbance += team.disturbance();
  return {name_of(isa), team.size(), summarize(rounds.samples[0], rounds.disturbed[0])};
}

std::vector<machine::HardwareThreads> measure_hardware_threads(
    const std::vector<int>& one_per_core, const std::vector<int>& all, std::uint64_t array_bytes,
    const RoundsPlan& plan, std::mt19937& random, Disturbance& disturbance) {
  const KernelTable& kernels = kernels_of(best_isa());
  std::array<Team, 2> teams{Team(one_per_core), Team(all)};
  const StreamArrays arrays(teams[0], array_bytes);
  const StreamFunction triad = kernels.stream[static_cast<int>(StreamKernel::triad)][0];
  // Cells: memory-bound and compute-bound work, each by both teams.
  const RoundsResult rounds = sample_in_rounds(4, plan, random, [&](std::size_t i) {
    Team& team = teams[i % 2];
    return i < 2 ? arrays.rate(team, StreamKernel::triad, triad) : peak_rate(team, kernels);
  });
  for (const Team& team : teams) disturbance += team.disturbance();
  std::vector<machine::HardwareThreads> results;
  for (std::size_t i = 0; i < 4; i += 2) {
    results.push_back({i == 0 ? "memory" : "compute", teams[0].size(), teams[1].size(),
                       summarize(rounds.samples[i], rounds.disturbed[i]),
                       summarize(rounds.samples[i + 1], rounds.disturbed[i + 1])});
  }
  return results;
}

std::vector<machine::JacobiResult> measure_jacobi(const std::vector<int>& pus, int edge,
                                                  const RoundsPlan& plan, std::mt19937& random,
                                                  Disturbance& disturbance) {
  const Isa isa = best_isa();
  const JacobiGrid grid = JacobiGrid::of(edge, edge, edge);
  Team team(pus);
  const Pages even(grid.doubles() * sizeof(double));
  const Pages odd(grid.doubles() * sizeof(double));
  const auto slab = [&](int thread) {
    const auto [begin, end] = part_of(static_cast<std::size_t>(edge), team.size(), thread, 1);
    return std::pair{static_cast<int>(begin), static_cast<int>(end)};
  };
  team.run([&](int thread) {
    const auto [begin, end] = slab(thread);
    // The boundary planes belong to the adjacent slabs.
    const std::size_t first = thread == 0 ? 0 : grid.at(0, 0, begin);
    const std::size_t last = thread == team.size() - 1 ? grid.doubles() : grid.at(0, 0, end);
    for (std::size_t i = first; i < last; ++i) {
      even.doubles()[i] = 1.0;
      odd.doubles()[i] = 1.0;
    }
  });

  std::vector<machine::JacobiResult> results;
  for (const bool non_temporal : store_kinds(isa)) {
    results.push_back({team.size(), {edge, edge, edge}, non_temporal, {}});
  }
  const auto seconds_of = [&](std::size_t kind, int sweeps) {
    return team.time([&](int thread) {
      const auto [begin, end] = slab(thread);
      for (int sweep = 0; sweep < sweeps; ++sweep) {
        double* const out = sweep % 2 == 0 ? odd.doubles() : even.doubles();
        const double* const in = sweep % 2 == 0 ? even.doubles() : odd.doubles();
        sweep_jacobi(isa, results[kind].non_temporal, grid, out, in, begin, end);
        team.barrier().wait();
      }
    });
  };
  const double points = std::pow(static_cast<double>(edge), 3);
  const double sweep_s = seconds_of(0, 2) / 2;
  const int sweeps = static_cast<int>(std::clamp(kJacobiSampleSeconds / sweep_s, 2.0, 100.0));
  const RoundsResult rounds = sample_in_rounds(results.size(), plan, random, [&](std::size_t i) {
    const double mlups = points * sweeps / seconds_of(i, sweeps) * 1e-6;
    return Sample(mlups, team.waited());
  });
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].mlups = summarize(rounds.samples[i], rounds.disturbed[i]);
  }
  disturbance += team.disturbance();
  return results;
}

}  // namespace plait::measure
