// SPDX-License-Identifier: BSD-3-Clause
// plait-cg compared with the memory bandwidth, with the NAS benchmark's own program, and with its
// own schedules on two emulated nodes.
//
// Usage: cg [a] [b] [c] [d] [e] [--class X] [--rounds R] [--nas FOLDER] [--launcher L --program P]
//   a to e: the parts to run (default: all but d); X: class of parts (a) and (b), last one of (d)
//   (default: B); R: rounds (default: 5); FOLDER: has cg.X.1, cg.X.2 and so on (default:
//   PLAIT_NAS_CG)
//   L, P: of part (d): the mpiexec and the plait-cg of another MPI, such as MPICH
// (a) one rank, and one per core, and the memory bandwidth; (b) the NAS program; (c) schedules on
//     nodes
// (d) whether all classes verify under all schedules on 1, 2, 4 and 8 ranks
// (e) OpenMP with one parallel region (SPMD) and with one per loop (fine grain)
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "../benchmark_main.hpp"
#include "../hybrid_prediction.hpp"
#include "../solver_run.hpp"
#include "base/parallel.hpp"
#include "plait/error.hpp"

namespace plait::bench {
namespace {

const Solver kSolver{PLAIT_CG_MPIEXEC, PLAIT_CG};

struct Options {
  std::string parts;
  std::string nas_class = "B";
  std::string nas_folder;
  int rounds = 5;
  Solver checked = kSolver;  ///< of part (d)
  [[nodiscard]] bool wants(char part) const {
    return (parts.empty() ? "abce" : parts).find(part) != std::string::npos;
  }
};

/// One rank, and the most ranks that the benchmark allows (powers of two) on the cores, at least 2.
std::vector<int> rank_counts() {
  int most = 2;
  while (2U * static_cast<unsigned>(most) <= usable_cpus()) most *= 2;
  return {1, most};
}

/// On all cores of the machine, as one core may not saturate its memory.
double traffic_fraction(const Options& options) {
  double all_cores = 0;
  for (const int ranks : rank_counts()) {
    fmt::print("\nClass {}, {} rank{}, matrix traffic compared with the memory bandwidth\n",
               options.nas_class, ranks, ranks == 1 ? "" : "s");
    std::vector<double> fractions;
    for (int round = 0; round < std::min(options.rounds, 3); ++round) {
      const std::string output =
          run_solver(kSolver, ranks, {"--class", options.nas_class, "--bandwidth"});
      fractions.push_back(number_after(output, "GB/s, ") / 100);
      fmt::print("  {:.0f} Mop/s, {:.2f} GB/s, {:.3f} of the bandwidth\n",
                 number_after(output, " s, "), number_after(output, "read at "), fractions.back());
      std::fflush(stdout);
    }
    all_cores = median_interval(fractions).median;
  }
  return all_cores;
}

/// The worst ratio of Mop/s for one rank and for one per core; 0 without the programs.
double over_nas(const Options& options) {
  namespace fs = std::filesystem;
  double worst = 0;
  for (const int ranks : rank_counts()) {
    const fs::path program =
        fs::path(options.nas_folder) / fmt::format("cg.{}.{}", options.nas_class, ranks);
    if (options.nas_folder.empty() || !fs::exists(program)) {
      fmt::print("\nno {}: no comparison with the NAS program on {} rank{}\n",
                 program.filename().string(), ranks, ranks == 1 ? "" : "s");
      continue;
    }
    fmt::print("\nClass {}, {} rank{}, by turns with the NAS program\n", options.nas_class, ranks,
               ranks == 1 ? "" : "s");
    std::vector<double> theirs_s, ours_s;
    for (int round = 0; round < std::min(options.rounds, 3); ++round) {
      const double nas =
          number_after(run_solver({PLAIT_CG_MPIEXEC, program}, ranks, {}), "Mop/s total     =");
      const double ours =
          number_after(run_solver(kSolver, ranks, {"--class", options.nas_class}), " s, ");
      fmt::print("  plait-cg {:.0f} Mop/s, NAS {:.0f} Mop/s\n", ours, nas);
      std::fflush(stdout);
      theirs_s.push_back(1 / nas);
      ours_s.push_back(1 / ours);
    }
    const double ratio = ratio_interval(theirs_s, ours_s).median;
    if (worst == 0 || ratio < worst) worst = ratio;
  }
  return worst;
}

/// The worst ratio of all networks; 0 if this system allows no nodes. Class A, because its products
/// take about as long as their messages. mpi has a rank per core; the others have a rank per node
/// and a thread per core. On one core, that of tc computes while it has nothing to send or receive.
double tc_over_pc(const Options& options) {
  const int cores = cores_per_node(2);
  double worst = 0;
  const double flops_per_s =
      1e6 * number_after(run_solver(kSolver, 1, {"--class", "A", "--compare-kernels"}), ", sell ");
  try {
    Nodes nodes("cg", 2, 1000, 0, cores);
    for (const int mbit : {1000, 400, 100}) {
      nodes.set_rate(mbit);
      fmt::print("\nTwo nodes of {} core{}, {} Mbit/s, class A\n", cores, cores == 1 ? "" : "s",
                 mbit);
      std::vector<SolverModel> models;
      for (const std::string model : {"mpi", "pc", "tc"}) {
        const int in_node = model == "mpi" ? cores : 1;
        models.push_back(
            {model,
             2 * in_node,
             {"--class", "A", "--schedule", model, "--threads", std::to_string(cores / in_node)}});
      }
      run_by_turns(nodes, kSolver, models, options.rounds);
      const double share = number_after(models[1].outputs.back(), "Mop/s, ") / 100;
      fmt::print(
          "  messages take {:.0f} % of pc; without them, or without the rest, it would take "
          "{:.3f} s\n",
          100 * share, std::max(share, 1 - share) * median_interval(models[1].seconds).median);
      print_prediction(model::cg_case(model::cg_class("A"), 2, cores), cores, mbit, flops_per_s);
      const double ratio = ratio_interval(models[1].seconds, models[2].seconds).median;
      if (worst == 0 || ratio < worst) worst = ratio;
    }
  } catch (const Error& error) {
    fmt::print("\nno emulated nodes: {}\n", error.what());
  }
  return worst;
}

/// The two ways to use OpenMP that Viet et al. compare theirs with, on one rank with two threads.
double spmd_over_pc(const Options& options) {
  fmt::print("\nOne rank, 2 threads, class A: one parallel region by turns with one per loop\n");
  std::vector<double> spmd_s, pc_s;
  const auto time = [](const char* schedule) {
    return number_after(
        run_solver(kSolver, 1, {"--class", "A", "--schedule", schedule, "--threads", "2"}),
        "\ntime ");
  };
  for (int round = 0; round < options.rounds; ++round) {
    pc_s.push_back(time("pc"));
    spmd_s.push_back(time("spmd"));
    fmt::print("  spmd {:.3f} s, pc {:.3f} s\n", spmd_s.back(), pc_s.back());
    std::fflush(stdout);
  }
  return ratio_interval(pc_s, spmd_s).median;
}

/// Two threads per rank. @return false if a run fails or bits differ
bool verify_classes(const Options& options) {
  // More ranks than cores must not busy-wait.
  ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  ::setenv("OMP_WAIT_POLICY", "passive", 0);
  bool good = true;
  fmt::print("\nClasses under all schedules, {}\n", options.checked.launcher);
  for (const std::string name : {"S", "W", "A", "B", "C"}) {
    for (const int ranks : {1, 2, 4, 8}) {
      try {
        const std::string output = run_solver(
            options.checked, ranks, {"--class", name, "--schedule", "all", "--threads", "2"},
            std::chrono::minutes(40));
        fmt::print("  class {}, {} rank{}: {}", name, ranks, ranks == 1 ? "" : "s",
                   output.substr(output.find("check: ")));
      } catch (const Error& error) {
        good = false;
        fmt::print("  class {}, {} ranks: {}\n", name, ranks, error.what());
      }
      std::fflush(stdout);
    }
    if (name == options.nas_class) break;
  }
  return good;
}

Options read_options(int argc, char** argv) {
  Options options;
  if (const char* folder = std::getenv("PLAIT_NAS_CG")) options.nas_folder = folder;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (argument.size() == 1 && argument[0] >= 'a' && argument[0] <= 'e') {
      options.parts += argument;
      continue;
    }
    if (argument == "--class" && !value.empty()) {
      options.nas_class = value;
    } else if (argument == "--nas" && !value.empty()) {
      options.nas_folder = value;
    } else if (argument == "--rounds" && std::atoi(value.c_str()) > 0) {
      options.rounds = std::atoi(value.c_str());
    } else if (argument == "--launcher" && !value.empty()) {
      options.checked.launcher = value;
      options.checked.asks_to_share = false;
    } else if (argument == "--program" && !value.empty()) {
      options.checked.program = value;
    } else {
      throw Error(std::string(argument), "unknown argument",
                  "usage: cg [a] [b] [c] [d] [e] [--class X] [--rounds R] [--nas FOLDER] "
                  "[--launcher L --program P]");
    }
    ++i;
  }
  return options;
}

int run(const Options& options) {
  const double traffic = options.wants('a') ? traffic_fraction(options) : 0;
  const double nas = options.wants('b') ? over_nas(options) : 0;
  const double tc = options.wants('c') ? tc_over_pc(options) : 0;
  const double spmd = options.wants('e') ? spmd_over_pc(options) : 0;
  const bool verified = !options.wants('d') || verify_classes(options);

  fmt::print(
      "\nMedians of rounds; cg_traffic_fraction is that of one rank per core, cg_over_nas the "
      "worst of one rank and one per core, tc_over_pc the worst of all networks.\n");
  if (traffic > 0) fmt::print("RESULT cg_traffic_fraction {:.3f} fraction\n", traffic);
  if (nas > 0) fmt::print("RESULT cg_over_nas {:.3f} ratio\n", nas);
  if (tc > 0) fmt::print("RESULT tc_over_pc {:.3f} ratio\n", tc);
  if (spmd > 0) fmt::print("RESULT spmd_over_pc {:.3f} ratio\n", spmd);
  if (options.wants('d')) fmt::print("RESULT cg_verified {} boolean\n", verified ? 1 : 0);
  return verified ? 0 : 1;
}

}  // namespace
}  // namespace plait::bench

int main(int argc, char** argv) {
  return plait::bench::benchmark_main(
      [&] { return plait::bench::run(plait::bench::read_options(argc, argv)); });
}
