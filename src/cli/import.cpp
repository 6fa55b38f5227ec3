// SPDX-License-Identifier: BSD-3-Clause
// plait import: a trace of another tool as a run directory.
#include <filesystem>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/otf2_helper.hpp"
#include "plait/error.hpp"

namespace plait::cli {
namespace {

struct ImportCommand {
  std::string file, output;
  bool force = false;
};

namespace fs = std::filesystem;

/// plait-runs/imported-NAME: archives are mostly all called traces.otf2, their folders are not.
fs::path default_run(const fs::path& file) {
  const fs::path whole = fs::absolute(file);
  const std::string name = whole.stem() == "traces" ? whole.parent_path().filename() : whole.stem();
  return fs::path("plait-runs") / ("imported-" + name);
}

void run_import(const ImportCommand& command) {
  std::error_code none;
  if (!fs::is_regular_file(command.file, none)) {
    throw Error(command.file, "is no file that can be read",
                "name an OTF2 archive's anchor file, mostly traces.otf2");
  }
  const fs::path run =
      command.output.empty() ? default_run(command.file) : fs::path(command.output);
  run_otf2_helper(command.file, {"import", command.file, run.string()}, command.force);
}

}  // namespace

void add_import(CLI::App& app, int& /*exit_code*/) {
  CLI::App* command = app.add_subcommand("import", "Make a run directory of an OTF2 archive");
  const auto options = std::make_shared<ImportCommand>();
  command->add_option("file", options->file, "anchor file: traces.otf2")->required();
  command->add_option("-o,--output", options->output,
                      "Run directory (plait-runs/imported-NAME by default)");
  command->add_flag("--force", options->force, "Replace the trace that is there");
  command->callback([options] { run_import(*options); });
}

}  // namespace plait::cli
