// SPDX-License-Identifier: BSD-3-Clause
// plait import: turns a trace of another tool into a run directory.
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

/// plait-runs/imported-NAME. Most archives are called traces.otf2, so the folder gives the name.
fs::path default_run(const fs::path& file) {
  const fs::path whole = fs::absolute(file);
  const std::string name = whole.stem() == "traces" ? whole.parent_path().filename() : whole.stem();
  return fs::path("plait-runs") / ("imported-" + name);
}

[[noreturn]] void run_import(const ImportCommand& command) {
  std::error_code none;
  if (!fs::is_regular_file(command.file, none)) {
    throw Error(command.file, "not a readable file",
                "give the anchor file of an OTF2 archive, usually traces.otf2");
  }
  const fs::path run =
      command.output.empty() ? default_run(command.file) : fs::path(command.output);
  run_otf2_helper(command.file, {"import", command.file, run.string()}, command.force);
}

}  // namespace

void add_import(Command& plait) {
  const auto options = std::make_shared<ImportCommand>();
  Command& command =
      plait.add_command("import", "Turn an OTF2 archive into a run directory", group::tools);
  command.argument("ARCHIVE", options->file, "Anchor file of the archive: traces.otf2")
      .required()
      .completes(Complete::file);
  command.option("-o,--output", "FOLDER", options->output, "Run directory to write")
      .defaults_to("plait-runs/imported-NAME")
      .completes(Complete::folder);
  command.flag("--force", options->force, "Replace an existing trace in the run directory");
  command.action([options]() -> int { run_import(*options); });
}

}  // namespace plait::cli
