// SPDX-License-Identifier: BSD-3-Clause
// plait collect: brings in the records that a run left in its spools on a node.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/descriptor.hpp"
#include "base/json_file.hpp"
#include "base/shell_word.hpp"
#include "cli/commands.hpp"
#include "cli/run_options.hpp"
#include "plait/error.hpp"
#include "run/run_directory.hpp"
#include "run/spool.hpp"
#include "text/counted.hpp"
#include "trace/container.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;

struct CollectOptions {
  std::string run;
  std::string spool;
  std::string output;
};

/// Where ranks keep their records on a node without the run directory, unless --spool named a
/// folder (preload/record_folder.hpp).
fs::path default_spool() {
  const std::string given = environment_value("TMPDIR");
  return given.empty() ? "/tmp" : given;
}

/// The folder of --spool with which a run was recorded.
fs::path spool_of(const run::RunDirectory& directory) {
  const nlohmann::json run =
      read_json_file(directory.run_file(), run::kRunSchema, run::kRunSchemaVersion,
                     "pass a run directory that plait run wrote");
  const auto spool = run.find("spool");
  if (spool != run.end() && spool->is_string()) return spool->get<std::string>();
  return default_spool();
}

/// Says what was collected; the exit code.
int report(const run::Collected& collected, const fs::path& spool, std::FILE* to,
           const std::string& next) {
  for (const std::string& problem : collected.problems) {
    fmt::print(stderr, "plait: error: {}\n", problem);
  }
  if (collected.spools == 0) {
    fmt::print(to, "Nothing of this run is left in {} on this node\n", spool.string());
  } else {
    fmt::print(to, "Collected {} from {}\n{}", counted(collected.files, "file"),
               counted(collected.spools, "spool"), next);
  }
  return collected.problems.empty() ? 0 : 1;
}

/// On a node that does not have the run directory.
int collect_into_container(const CollectOptions& options, const fs::path& run) {
  const fs::path spool = options.spool.empty() ? default_spool() : fs::path(options.spool);
  const std::string next = fmt::format("Next: put it into {} under a name that ends in {}\n",
                                       (run / "records").string(), trace::kContainerSuffix);
  if (options.output == "-") {
    return report(run::store_spools(spool, run, STDOUT_FILENO, "standard output"), spool, stderr,
                  next);
  }
  const Descriptor to(
      ::open(options.output.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (to.get() < 0) {
    throw Error(options.output, fmt::format("cannot be created ({})", std::strerror(errno)),
                errno == EEXIST ? "pass --output with a file that does not exist"
                                : "pass --output with a file that can be written");
  }
  run::Collected collected;
  try {
    collected = run::store_spools(spool, run, to.get(), options.output);
  } catch (...) {
    ::unlink(options.output.c_str());
    throw;
  }
  if (collected.files == 0) ::unlink(options.output.c_str());
  return report(collected, spool, stdout, next);
}

int collect(const CollectOptions& options) {
  if (!options.output.empty()) {
    if (options.run.empty()) {
      throw Error("--output", "needs the path of the run directory", "pass it as an argument");
    }
    return collect_into_container(options, fs::absolute(options.run).lexically_normal());
  }
  const fs::path given = run_or_newest(options.run);
  const run::RunDirectory directory(fs::absolute(given).lexically_normal());
  const fs::path spool = options.spool.empty() ? spool_of(directory) : fs::path(options.spool);
  if (!fs::is_directory(directory.records())) {
    throw Error(given.string(), "not a run directory", "pass one that plait run wrote");
  }
  return report(run::collect_spools(spool, directory.path(), directory.records()), spool, stdout,
                fmt::format("Next: plait report {}\n", shell_word(given.string())));
}

}  // namespace

void add_collect(Command& plait) {
  const auto options = std::make_shared<CollectOptions>();
  Command& command = plait.add_command(
      "collect", "Bring in the records that a run left in its spools on this node", group::explain);
  add_run_argument(command, options->run);
  command.option("--spool", "FOLDER", options->spool, "Folder that --spool named")
      .defaults_to("as in run.json, or TMPDIR")
      .completes(Complete::folder);
  command
      .option("--output", "FILE", options->output,
              "Write the records to this file (-: standard output), on a node without the run "
              "directory; copy it into RUN/records as NAME.records")
      .completes(Complete::file);
  command.example("plait collect plait-runs/app-20261127-100000");
  command.example("srun --ntasks-per-node=1 plait collect plait-runs/app-20261127-100000");
  command.example("ssh n1 plait collect --output - $PWD/RUN > RUN/records/n1.records");
  command.action([options] { return collect(*options); });
}

}  // namespace plait::cli
