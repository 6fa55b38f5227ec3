// SPDX-License-Identifier: BSD-3-Clause
// plait tune --platform: finds settings for a machine without a program, and stores them.
#include "cli/tune_platform.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "advise/tuned_settings.hpp"
#include "base/environment.hpp"
#include "base/json_file.hpp"
#include "base/layout.hpp"
#include "base/shell_word.hpp"
#include "base/subprocess.hpp"
#include "cli/json_output.hpp"
#include "machine/discover.hpp"
#include "plait/error.hpp"
#include "run/output_folder.hpp"
#include "tune/platform.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kDefaultBudget_s = 600;

/// Tunes for one number of ranks per node. @return true if settings won
bool tune_for(tune::PlatformRequest request, const tune::Registry& registry, int ranks_per_node,
              bool as_json, nlohmann::json& all) {
  request.ranks_per_node = ranks_per_node;
  request.folder /= fmt::format("{}-per-node", ranks_per_node);
  fs::create_directories(request.folder);
  fmt::print(stderr, "plait: {} ranks per node\n", ranks_per_node);
  const tune::PlatformTuning tuning = tune::tune_platform(request, registry);
  if (tuning.interrupted_by) throw Interrupted(*tuning.interrupted_by);
  if (tune::is_unfinished(tuning)) {
    // A stored result without settings means that there is nothing to gain.
    if (!as_json) {
      for (const std::string& line : tune::platform_lines(tuning)) fmt::print("{}\n", line);
    }
    fmt::print(stderr, "plait: nothing is stored; give more time with --budget\n");
    return false;
  }
  const fs::path stored = advise::store_settings(tuning.settings);
  if (as_json) {
    all.push_back(read_json_file(stored / "tuned.json", "plait-tuned", 1));
    return tuning.settings.plan.has_value();
  }
  for (const std::string& line : tune::platform_lines(tuning)) fmt::print("{}\n", line);
  fmt::print("Stored: {}\nNext: plait run --tuned -- {} -n {} ./app\n\n", stored.string(),
             shell_word(request.mpi.launcher.name), tuning.settings.made_for.ranks);
  return tuning.settings.plan.has_value();
}

}  // namespace

void add_platform_options(Command& command, PlatformOptions& options) {
  command.heading("Without a program");
  command.flag("--platform", options.wanted,
               "Find settings for common messages and collective operations on this machine, and "
               "store them for plait run --tuned");
  command.option("--mpi", "MPI", options.mpi, "Launcher or folder of the MPI to tune")
      .defaults_to("mpiexec in PATH")
      .needs("--platform");
  command
      .list("--nodes", "HOSTS", options.nodes, ",",
            "Tune for these nodes, as the launcher knows them: n0,n1,...")
      .needs("--platform");
  command
      .list("--ranks-per-node", "NUMBERS", options.ranks_per_node, {1, 4096},
            "Numbers of ranks on each node: 2,4,8 (default: one per core)")
      .needs("--platform");
}

int tune_platform(const PlatformOptions& options, const std::string& output,
                  std::optional<double> budget_s, bool as_json) {
  tune::PlatformRequest request;
  request.mpi = measure::choose_mpi(options.mpi, install_layout().libexec);
  request.nodes = options.nodes;
  std::vector<int> numbers = options.ranks_per_node;
  if (numbers.empty()) numbers = {machine::discover_local().topology.usable_cores()};
  const int nodes = std::max(1, static_cast<int>(options.nodes.size()));
  for (const int number : numbers) {
    if (number * nodes > 1) continue;
    throw Error("--ranks-per-node", "one rank sends no messages", "give 2 or more");
  }
  for (const auto& [name, value] : measure::probe_environment(request.mpi, ::geteuid() == 0)) {
    ::setenv(name.c_str(), value.c_str(), 0);
  }
  const tune::Registry registry = tune::read_registry(request.mpi.launcher);
  request.budget_s = budget_s.value_or(kDefaultBudget_s) / static_cast<double>(numbers.size());
  request.folder = run::make_output_folder(output, "plait-tunings", "platform");
  request.progress = [](const std::string& setting) { fmt::print(stderr, "plait: {}\n", setting); };
  nlohmann::json all = nlohmann::json::array();
  bool won = false;
  for (const int number : numbers) won = tune_for(request, registry, number, as_json, all) || won;
  if (as_json) print_json(all);
  return won ? 0 : 1;
}

}  // namespace plait::cli
