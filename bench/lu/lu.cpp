// SPDX-License-Identifier: BSD-3-Clause
// plait-lu compared with its BLAS's matrix product, with HPL, and with its own schedules on two
// emulated nodes.
//
// Usage: lu [a] [b] [c] [--size N] [--rounds R]
//   a to c: the parts to run (default: all); N: of part (a) (default: 10000); R: (default: 5)
// (a) one rank and the matrix product; (b) HPL; (c) schedules on emulated nodes
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "../benchmark_main.hpp"
#include "../hybrid_prediction.hpp"
#include "../solver_run.hpp"
#include "base/subprocess.hpp"
#include "hpcc.hpp"
#include "plait/error.hpp"

namespace plait::bench {
namespace {

constexpr int kBlock = 128;

struct Options {
  std::string parts;
  int size = 10000;
  int rounds = 5;
  [[nodiscard]] bool wants(char part) const {
    return parts.empty() || parts.find(part) != std::string::npos;
  }
};

const Solver kSolver{PLAIT_LU_MPIEXEC, PLAIT_LU};

MedianInterval dgemm_fraction(const Options& options) {
  constexpr int block = 192;  // the fastest on one rank, which has no messages to send early
  fmt::print("\nOne rank, N = {}, NB = {}, compared with DGEMM before and after\n", options.size,
             block);
  std::vector<double> fractions;
  for (int round = 0; round < options.rounds; ++round) {
    const std::string output = run_solver(
        kSolver, 1,
        {"--size", std::to_string(options.size), "--block", std::to_string(block), "--dgemm"});
    fractions.push_back(number_after(output, "reached ") / 100);
    fmt::print("  {:.2f} GFLOP/s, {:.3f} of DGEMM\n", number_after(output, " s, "),
               fractions.back());
    std::fflush(stdout);
  }
  return median_interval(fractions);
}

MedianInterval over_hpl(const Options& options) {
  constexpr int size = 4000;
  fmt::print("\nTwo ranks, N = {}, NB = {}, P x Q = 1 x 2, by turns with HPL in hpcc\n", size,
             kBlock);
  Solver solver = kSolver;
  solver.asks_to_share = false;  // started as HPL is; otherwise Open MPI yields while it waits
  std::vector<double> ratios;
  for (int round = 0; round < options.rounds; ++round) {
    const double hpl = hpcc_gflops(PLAIT_LU_MPIEXEC, size, kBlock);
    const double ours =
        number_after(run_solver(solver, 2,
                                {"--size", std::to_string(size), "--block", std::to_string(kBlock),
                                 "--grid", "1x2", "--schedule", "mpi"}),
                     " s, ");
    ratios.push_back(ours / hpl);
    fmt::print("  plait-lu {:.2f} GFLOP/s, HPL {:.2f} GFLOP/s\n", ours, hpl);
    std::fflush(stdout);
  }
  return median_interval(ratios);
}

/// The three models of Viet et al., by turns; mpi and pc in the original order of tasks, as in the
/// paper, and pc also with look-ahead. mpi has a rank per core; the others have a rank per node and
/// a thread per core. On one core, that of tc computes while it has nothing to send or receive.
MedianInterval on_nodes(const Nodes& nodes, const Options& options, int cores, int size,
                        model::Grid grid) {
  std::vector<SolverModel> models;
  const auto add = [&](const char* name, const std::string& schedule, const char* look_ahead) {
    const int in_node = schedule == "mpi" ? cores : 1;
    // The ranks of a node share a row of the grid, so panels and rows cross the network as they do
    // under the other models.
    const std::string shape = grid.rows == 1 ? fmt::format("1x{}", grid.columns * in_node)
                                             : fmt::format("{}x{}", grid.rows, in_node);
    models.push_back({name,
                      grid.rows * grid.columns * in_node,
                      {"--size", std::to_string(size), "--block", std::to_string(kBlock), "--grid",
                       shape, "--schedule", schedule, "--threads", std::to_string(cores / in_node),
                       "--look-ahead", look_ahead}});
  };
  add("mpi", "mpi", "0");
  add("pc", "pc", "0");
  add("pc, look-ahead", "pc", "1");
  add("tc", "tc", "1");
  run_by_turns(nodes, kSolver, models, options.rounds);
  return ratio_interval(models[1].seconds, models.back().seconds);
}

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "a" || argument == "b" || argument == "c") {
      options.parts += argument;
      continue;
    }
    const int number = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (number <= 0 || (argument != "--size" && argument != "--rounds"))
      throw Error(std::string(argument), "unknown argument",
                  "usage: lu [a] [b] [c] [--size N] [--rounds R]");
    (argument == "--size" ? options.size : options.rounds) = number;
    ++i;
  }
  return options;
}

/// The worst ratio of all networks and grids; 0 if this system allows no nodes.
double tc_over_pc(const Options& options) {
  const int cores = cores_per_node(2);
  // More cores get more work, but not so much more that messages no longer matter.
  const int size = static_cast<int>(3000 * std::sqrt(cores));
  double worst = 0;
  const std::string alone = run_solver(kSolver, 1, {"--size", "2000", "--dgemm"});
  const double flops_per_s = 1e9 * number_after(alone, "DGEMM ");
  try {
    Nodes nodes("lu", 2, 1000, 0, cores);
    for (const int mbit : {1000, 400}) {
      nodes.set_rate(mbit);
      for (const model::Grid grid : {model::Grid{1, 2}, model::Grid{2, 1}}) {
        fmt::print("\nTwo nodes of {} core{}, {} Mbit/s, N = {}, P x Q = {} x {}\n", cores,
                   cores == 1 ? "" : "s", mbit, size, grid.rows, grid.columns);
        const double ratio = on_nodes(nodes, options, cores, size, grid).median;
        print_prediction(model::hpl_case({size, kBlock}, 2, cores, grid), cores, mbit, flops_per_s);
        if (worst == 0 || ratio < worst) worst = ratio;
      }
    }
  } catch (const Error& error) {
    fmt::print("\nno emulated nodes: {}\n", error.what());
  }
  return worst;
}

int run(const Options& options) {
  const double dgemm = options.wants('a') ? dgemm_fraction(options).median : 0;
  double hpl = 0;
  if (options.wants('b')) {
    if (find_in_path("hpcc").empty())
      fmt::print("\nhpcc is not installed: no comparison with HPL\n");
    else
      hpl = over_hpl(options).median;
  }
  const double tc = options.wants('c') ? tc_over_pc(options) : 0;

  fmt::print("\nMedians of rounds; tc_over_pc is the worst of all networks and grids.\n");
  if (dgemm > 0) fmt::print("RESULT lu_dgemm_fraction {:.3f} fraction\n", dgemm);
  if (hpl > 0) fmt::print("RESULT lu_over_hpl {:.3f} ratio\n", hpl);
  if (tc > 0) fmt::print("RESULT tc_over_pc {:.3f} ratio\n", tc);
  return 0;
}

}  // namespace
}  // namespace plait::bench

int main(int argc, char** argv) {
  return plait::bench::benchmark_main(
      [&] { return plait::bench::run(plait::bench::read_options(argc, argv)); });
}
