// SPDX-License-Identifier: BSD-3-Clause
// plait-cg: the NAS CG benchmark and a solver of sparse systems, in every parallel model.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bandwidth.hpp"
#include "options.hpp"
#include "plait/environment.hpp"
#include "report.hpp"

namespace {

using namespace plait::cg;

/// Solves under one model, and measures the memory bandwidth by turns if there is a probe.
/// Collective over MPI_COMM_WORLD.
Result solve(const Options& options, Model model, BandwidthProbe* probe) {
  const auto under = [model](auto run) {
    run.model = model;
    if (model == Model::mpi) run.threads = 1;
    return run;
  };
  if (options.from_file()) return run_system(MPI_COMM_WORLD, under(options.system), probe);
  return run_nas(MPI_COMM_WORLD, under(options.nas), probe);
}

/// Runs the program after the start of MPI and returns its exit code.
int run(const plait::CommandLine<Options>& command, const std::vector<std::string>& arguments,
        int rank, int ranks) {
  if (plait::is_answered(command, rank)) return 0;
  const Options& options = command.options;
  plait::check_writable("--json", options.json, rank);
  plait::check_writable("--solution", options.system.solution, rank);

  const std::vector<Model> models = models_of(options);
  const int threads = models.back() == Model::mpi ? 1 : options.nas.threads;
  std::unique_ptr<BandwidthProbe> probe;
  BandwidthAround bandwidth;
  if (options.bandwidth) {
    probe = std::make_unique<BandwidthProbe>(MPI_COMM_WORLD, threads);
    probe->measure_repeatedly();
    bandwidth.before = probe->take_medians();
  }
  KernelRates rates;
  if (options.compare_kernels) {
    rates = kernel_rates(MPI_COMM_WORLD, options.nas);
    if (rank == 0) std::fputs(report(rates).c_str(), stdout);
  }
  std::vector<Result> results;
  int failed = 0;
  int different = 0;
  for (const Model model : models) {
    results.push_back(solve(options, model, probe.get()));
    if (!passed(results.back())) ++failed;
    if (checksum(results.back()) != checksum(results.front())) ++different;
    if (rank == 0) std::fputs(report(results.back(), ranks).c_str(), stdout);
    std::fflush(stdout);
  }
  if (probe) {
    probe->measure_repeatedly();
    bandwidth.after = probe->take_medians();
  }
  if (rank == 0) {
    if (options.all_models) {
      std::printf("check: %zu runs, %d failed, %d differ between schedules\n", results.size(),
                  failed, different);
    }
    if (!options.json.empty()) {
      write_json(options.json, arguments, ranks, results, bandwidth, rates);
    }
  }
  return failed + different == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv, argv + argc);
  const plait::CommandLine<Options> command = read_command_line(argc, argv);
  const plait::Environment environment(argc, argv, plait::ThreadLevel::funneled);
  return plait::guarded(
      "plait-cg", [&] { return run(command, arguments, environment.rank(), environment.size()); });
}
