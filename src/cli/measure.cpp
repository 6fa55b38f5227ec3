// SPDX-License-Identifier: BSD-3-Clause
// plait measure: measures this node and writes its machine file.
#include "measure/measure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/user_data.hpp"
#include "cli/commands.hpp"
#include "machine/machine_file.hpp"
#include "measure/summary.hpp"
#include "plait/error.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;

struct MeasureOptions {
  measure::MeasureRequest request;
  std::string cores;
  std::string output;
  bool no_mpi = false;
  bool json = false;
};

/// Fails before minutes are spent, not after.
fs::path writable_output(const MeasureOptions& options) {
  char host[256] = "localhost";
  ::gethostname(host, sizeof(host) - 1);
  const fs::path path =
      options.output.empty() ? machine_file_of_host(host) : fs::path(options.output);
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (options.output.empty()) fs::create_directories(folder, error);
  if (fs::is_directory(path, error)) {
    throw Error(path.string(), "is a folder", "name a file with --output");
  }
  if (!fs::is_directory(folder, error) || ::access(folder.c_str(), W_OK) != 0) {
    throw Error(path.string(), "the folder does not exist or may not be written",
                "name another file with --output");
  }
  return path;
}

void run_measure(const MeasureOptions& options) {
  measure::MeasureRequest request = options.request;
  request.use_mpi = !options.no_mpi;
  if (!options.cores.empty()) request.cores = machine::CpuSet::parse(options.cores);
  const fs::path path = writable_output(options);
  const measure::MeasureOutcome outcome = measure::measure_machine(request);
  machine::save(path, outcome.file);
  for (const std::string& warning : outcome.warnings) {
    fmt::print(stderr, "plait: warning: {}\n", warning);
  }
  if (options.json) {
    fmt::print("{}\n", nlohmann::json(outcome.file).dump(1));
    return;
  }
  fmt::print("{}\n\n{}\n", measure::verdict(outcome.file), measure::summary_table(outcome.file));
  fmt::print("Measured in {:.0f} s. Machine file: {}\n", outcome.file.measured->duration_s,
             path.string());
  fmt::print("All figures: plait machine show --machine {}\n", path.string());
  fmt::print("Next: plait run -- mpiexec -n {} ./app\n", outcome.file.topology.usable_cores());
}

}  // namespace

void add_measure(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<MeasureOptions>();
  CLI::App* const command =
      app.add_subcommand("measure", "Measure this node and write its machine file");
  command->add_flag("--quick", options->request.quick, "At most 30 s; wider intervals");
  command->add_option("-o,--output", options->output,
                      "Machine file to write (default: HOST.json in $XDG_DATA_HOME/plait or "
                      "~/.local/share/plait)");
  command->add_option("--mpi", options->request.mpi,
                      "MPI to measure: an mpiexec, or a folder with bin/mpiexec (default: the "
                      "mpiexec in PATH)");
  command->add_flag("--no-mpi", options->no_mpi, "Leave the MPI part out");
  command
      ->add_option("--budget", options->request.budget_s,
                   "Seconds for all of it (default: 150, with --quick 22)")
      ->check(CLI::Range(0.1, 86400.0));
  command->add_option("--cores", options->cores,
                      "Cores to measure, as plait machine show numbers them: 0-3,8");
  command->add_flag("--off-cache", options->request.off_cache,
                    "Also ping-pong with buffers that are never in a cache");
  command->add_flag("--json", options->json, "Print the machine file instead of a table");
  command->callback([options, &exit_code] {
    run_measure(*options);
    exit_code = 0;
  });
}

}  // namespace plait::cli
