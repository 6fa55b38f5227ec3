// SPDX-License-Identifier: BSD-3-Clause
// MLUP/s of the Jacobi kernels for each size on one and on all cores, compared with peers and with
// bounds from the same run: the bandwidth of STREAM copy, and a hand-written kernel in cache.
//
// Usage: jacobi [seconds per table]; PLAIT_YASK=program adds a YASK 6-point stencil program.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "contest.hpp"
#include "loops.hpp"
#include "measure/kernels.hpp"
#include "peers.hpp"
#include "plait/error.hpp"
#include "plait/jacobi_kernel.hpp"
#include "plait/temporal_jacobi.hpp"
#include "step_cost.hpp"
#include "text/counted.hpp"

namespace {

using namespace plait;
using namespace plait::bench;

constexpr int temporal_sweeps = 16;

/// Both fields and the contestants that update them.
class Sweeps {
public:
  Sweeps(int n, int threads) : n_(n), threads_(threads), a_({n, n, n}, 1), b_({n, n, n}, 1) {
    run_on_cores(threads, [&](int thread, int) {
      const Box part = slab(thread);
      for (int k = part.first[2]; k < part.last[2]; ++k) {
        for (int j = 0; j < n_; ++j) std::fill_n(a_.row(j, k), n_, 1.0 + j % 3);
      }
    });
  }

  [[nodiscard]] double cells() const { return static_cast<double>(n_) * n_ * n_; }
  /// Sweeps per sample: an even number, and long compared with the clock resolution and with
  /// writing back what the previous sample left in the caches.
  [[nodiscard]] int sweeps() const { return n_ <= 128 ? 40 : 4; }

  template <class Update>
  Contestant single(const std::string& name, Update update) {
    return {name,
            [this, update] {
              return run_on_cores(threads_, [&](int thread, int) {
                for (int sweep = 0; sweep < sweeps(); ++sweep) {
                  const bool even = sweep % 2 == 0;
                  update(even ? a_ : b_, even ? b_ : a_, slab(thread));
#pragma omp barrier
                }
              });
            },
            cells() * sweeps()};
  }

  Contestant temporal() {
    const TemporalJacobi kernel({n_, n_, n_}, temporal_sweeps, threads_, {}, {});
    return {fmt::format("Plait, {} sweeps at once", temporal_sweeps),
            // Its team has the same threads, which stay on their CPUs.
            [this, kernel] { return seconds_of([&] { kernel(a_, b_); }); },
            cells() * temporal_sweeps};
  }

  /// STREAM copy from the memory of one field to the other, as often as single() sweeps; `updates`
  /// are bytes as STREAM counts them.
  Contestant copy(bool non_temporal) {
    const auto& kernels = measure::kernels_of(measure::best_isa());
    const auto function = kernels.stream[static_cast<int>(measure::StreamKernel::copy)]
                                        [non_temporal && kernels.stream[0][1] != nullptr ? 1 : 0];
    // Planes of own cells with ghosts and padding are contiguous in memory.
    const auto elements = static_cast<std::size_t>(a_.stride_z()) - 16;
    return {non_temporal ? "copy, streaming" : "copy",
            [this, function, elements] {
              return run_on_cores(threads_, [&](int thread, int) {
                const Box part = slab(thread);
                for (int sweep = 0; sweep < sweeps(); ++sweep) {
                  const bool even = sweep % 2 == 0;
                  for (int k = part.first[2]; k < part.last[2]; ++k) {
                    function((even ? b_ : a_).row(0, k), (even ? a_ : b_).row(0, k), nullptr, 0.0,
                             elements);
                  }
#pragma omp barrier
                }
              });
            },
            16.0 * static_cast<double>(elements) * n_ * sweeps()};
  }

private:
  [[nodiscard]] Box slab(int thread) const {
    return {{0, 0, n_ * thread / threads_}, {n_, n_, n_ * (thread + 1) / threads_}};
  }

  int n_;
  int threads_;
  Field<double> a_;
  Field<double> b_;
};

struct Results {
  double roofline_fraction = 0;
  double temporal_gain = 0;
  double in_cache_fraction = 0;
  double over_devito = 0;
};

void print_row(const Contestant& one, const std::string& bound, double fraction) {
  const auto rate = mega_rate(one);
  fmt::print("  {:<28} {:>7.0f}  [{:>5.0f}, {:>5.0f}]  {:>5.2f} {}\n", one.name, rate.median,
             rate.low, rate.high, fraction, bound);
}

/// All contestants for one size and number of cores.
void table(int n, int threads, double budget_s, bool with_devito, Results& results) {
  const int all = static_cast<int>(usable_cpus().size());
  Sweeps sweeps(n, threads);
  const JacobiKernel kernel({n, n, n}, threads, 1);
  std::string why = "only measured at 400^3";
  std::unique_ptr<Devito> devito;
  if (with_devito) devito = Devito::start(n, usable_cpus().front(), why);

  enum { stream_copy, plain_copy, library, temporal, hand, naive, devito_at };
  std::vector<Contestant> contestants{
      sweeps.copy(true),
      sweeps.copy(false),
      sweeps.single("Plait, sweep by sweep",
                    [&](const auto& now, auto& next, const Box& box) { kernel(now, next, box); }),
      sweeps.temporal(),
      sweeps.single(has_hand_update() ? "AVX-512 by hand, cached" : "by hand", hand_update),
      sweeps.single("naive loop", naive_update)};
  if (devito) {
    contestants.push_back({"Devito", [&] { return devito->seconds(4); }, sweeps.cells() * 4});
  }
  run_in_turn(contestants, budget_s, 41);

  const bool memory = kernel.streaming();
  fmt::print("{}^3 cells, {}: {} stores, {} rows per block, {}\n", n, counted(threads, "core"),
             memory ? "streaming" : "cached", kernel.block_rows(), kernel.instruction_set());
  if (memory) {
    const auto streamed = mega_rate(contestants[stream_copy]);
    const auto plain = mega_rate(contestants[plain_copy]);
    fmt::print(
        "  copy: streaming {:.1f} GB/s [{:.1f}, {:.1f}], bound {:.0f} MLUP/s at 16 bytes;\n"
        "  with write-allocate {:.1f} GB/s, bound {:.0f} MLUP/s at 24 bytes\n",
        streamed.median / 1e3, streamed.low / 1e3, streamed.high / 1e3, streamed.median / 16,
        plain.median * 1.5 / 1e3, plain.median / 16);
  }
  fmt::print("  {:<28} {:>7}  {:<14}  {}\n", "", "MLUP/s", "95 % interval", "fraction of");
  for (std::size_t i = library; i < contestants.size(); ++i) {
    if (memory) {
      print_row(contestants[i], "the bound at 16 bytes",
                16 * ratio(contestants[i], contestants[stream_copy]).median);
    } else {
      print_row(contestants[i], "the kernel by hand",
                ratio(contestants[i], contestants[hand]).median);
    }
  }
  const auto gain = ratio(contestants[temporal], contestants[library]);
  fmt::print("  {} sweeps at once run {:.2f} [{:.2f}, {:.2f}] times as fast as sweep by sweep\n",
             temporal_sweeps, gain.median, gain.low, gain.high);
  if (with_devito && !devito) fmt::print("  Devito: left out, {}\n", why);
  if (n == 400 && threads == all) {
    results.roofline_fraction = 16 * ratio(contestants[library], contestants[stream_copy]).median;
    results.temporal_gain = gain.median;
  }
  if (!memory && threads == all) {
    results.in_cache_fraction = ratio(contestants[library], contestants[hand]).median;
  }
  if (devito) {
    const auto faster = ratio(contestants[library], contestants[devito_at]);
    fmt::print("  a sweep of Plait is {:.2f} [{:.2f}, {:.2f}] times as fast as Devito's\n",
               faster.median, faster.low, faster.high);
    results.over_devito = faster.median;
  }
  if (const char* yask = std::getenv("PLAIT_YASK"); yask != nullptr && threads == 1 && n == 400) {
    if (const auto rate = yask_rate(yask, n)) {
      fmt::print(
          "  YASK, run after these: {:.0f} MLUP/s; a sweep of Plait is {:.2f} times as fast\n",
          *rate / 1e6, mega_rate(contestants[library]).median * 1e6 / *rate);
    } else {
      fmt::print("  YASK: {} printed no throughput\n", yask);
    }
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void print_steps(const std::vector<StepCost>& costs, const std::string& why) {
  if (costs.empty()) {
    fmt::print("Blocking steps of the library: left out, {}\n\n", why);
    return;
  }
  fmt::print("A blocking step of the library and a hand-written one with MPI, us\n");
  fmt::print("  {:>12} {:>6} {:>10} {:>10} {:>7}  {}\n", "cells/rank", "ranks", "library",
             "by hand", "ratio", "95 % interval");
  for (const StepCost& cost : costs) {
    fmt::print("  {:>10}^3 {:>6} {:>10.2f} {:>10.2f} {:>7.3f}  [{:.3f}, {:.3f}]\n", cost.cells,
               cost.ranks, cost.library_us, cost.by_hand_us, cost.ratio, cost.low, cost.high);
  }
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) try {
  const double budget_s = argc > 1 ? std::max(0.1, std::atof(argv[1])) : 12.0;
  const int all = static_cast<int>(usable_cpus().size());
  Results results;
  // Before any thread is bound, because launched programs inherit the affinity mask.
  std::string why;
  const auto steps = step_costs(why);
  for (const int n : {96, 400, 600}) {
    for (const int threads : {1, all}) {
      table(n, threads, n == 96 ? budget_s / 4 : budget_s, n == 400 && threads == 1, results);
      if (all == 1) break;
    }
  }
  print_steps(steps, why);
  fmt::print("RESULT jacobi_roofline_fraction {:.3f} 1\n", results.roofline_fraction);
  fmt::print("RESULT jacobi_temporal_gain {:.3f} x\n", results.temporal_gain);
  fmt::print("RESULT jacobi_in_cache_fraction {:.3f} x\n", results.in_cache_fraction);
  if (results.over_devito > 0) {
    fmt::print("RESULT jacobi_over_devito {:.3f} x\n", results.over_devito);
  }
  // For the number of ranks that were run: two if there are two cores.
  for (auto cost = steps.rbegin(); cost != steps.rend() && cost->ranks == steps.back().ranks;
       ++cost) {
    fmt::print("RESULT jacobi_step_overhead_{} {:.4f} x\n", cost->cells, cost->ratio);
  }
  return 0;
} catch (const plait::Error& error) {
  fmt::print(stderr, "plait: error: {}\n", error.what());
  return 1;
}
