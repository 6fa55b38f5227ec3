// SPDX-License-Identifier: BSD-3-Clause
// plait collect: brings in the records that a killed run left in its spools.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json_file.hpp"
#include "base/shell_word.hpp"
#include "cli/commands.hpp"
#include "cli/run_options.hpp"
#include "plait/error.hpp"
#include "run/run_directory.hpp"
#include "run/spool.hpp"
#include "text/counted.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;

struct CollectOptions {
  std::string run;
  std::string spool;
};

/// The folder of --spool with which a run was recorded.
fs::path spool_of(const run::RunDirectory& directory, const std::string& name) {
  const nlohmann::json run =
      read_json_file(directory.run_file(), run::kRunSchema, run::kRunSchemaVersion,
                     "pass a run directory that plait run wrote");
  const auto spool = run.find("spool");
  if (spool != run.end() && spool->is_string()) return spool->get<std::string>();
  throw Error(name, "recorded without --spool, so all its records are in it",
              "run plait report on it");
}

int collect(const CollectOptions& options) {
  const fs::path given = run_or_newest(options.run);
  const run::RunDirectory directory(fs::absolute(given).lexically_normal());
  const fs::path spool =
      options.spool.empty() ? spool_of(directory, given.string()) : fs::path(options.spool);
  if (!fs::is_directory(directory.records())) {
    throw Error(given.string(), "not a run directory", "pass one that plait run wrote");
  }
  const run::Collected collected =
      run::collect_spools(spool, directory.path(), directory.records());
  for (const std::string& problem : collected.problems) {
    fmt::print(stderr, "plait: error: {}\n", problem);
  }
  if (collected.spools == 0) {
    fmt::print("Nothing of this run is left in {} on this node\n", spool.string());
  } else {
    fmt::print("Collected {} from {}\nNext: plait report {}\n", counted(collected.files, "file"),
               counted(collected.spools, "spool"), shell_word(given.string()));
  }
  return collected.problems.empty() ? 0 : 1;
}

}  // namespace

void add_collect(Command& plait) {
  const auto options = std::make_shared<CollectOptions>();
  Command& command = plait.add_command(
      "collect", "Bring in the records that a killed run left in its spools on this node",
      group::explain);
  add_run_argument(command, options->run);
  command.option("--spool", "FOLDER", options->spool, "Folder that --spool named")
      .defaults_to("as in run.json")
      .completes(Complete::folder);
  command.example("plait collect plait-runs/app-20261127-100000");
  command.example("srun --ntasks-per-node=1 plait collect plait-runs/app-20261127-100000");
  command.action([options] { return collect(*options); });
}

}  // namespace plait::cli
