// SPDX-License-Identifier: BSD-3-Clause
// plait check: runs a program and reports its MPI errors.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/json.hpp"
#include "check/check_run.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "cli/run_options.hpp"
#include "report/terminal.hpp"

namespace plait::cli {
namespace {

struct CheckOptions {
  run::RunRequest request;
  double stall_s = 1;
  bool json = false;
  bool quiet = false;
};

void print(const check::Verdict& verdict, const check::Outcome& outcome,
           const std::filesystem::path& file) {
  const report::TerminalOptions look = report::terminal_options(stderr);
  for (const std::string& line : check::verdict_lines(verdict, outcome, look.color, look.utf8)) {
    fmt::print(stderr, "{}\n", line);
  }
  fmt::print(stderr, "\nResult: {}\n", std::filesystem::proximate(file).string());
}

int run_check(CheckOptions& options) {
  options.request.show_stdout = !options.json;
  return check::run_checked(options.request, options.stall_s,
                            [&](const check::Verdict& verdict, const check::Outcome& outcome,
                                const std::filesystem::path& file) {
                              if (!options.quiet) print(verdict, outcome, file);
                              if (options.json) print_json(check::verdict_json(verdict, outcome));
                            });
}

}  // namespace

void add_check(Command& plait) {
  const auto options = std::make_shared<CheckOptions>();
  Command& command =
      plait.add_command("check", "Run an MPI program and report its MPI errors", group::explain);
  command.describe(
      "The exit code is that of the program, or 3 if the program succeeds but errors were found. "
      "Results are also written to check.json in the run directory.");
  add_run_options(command, options->request,
                  "Run directory to write (default: plait-runs/APP-TIME)");
  command.flag("--buffers", options->request.check_buffers,
               "Checksum buffers to find those that change while a message is in flight");
  command
      .option("--stall", "SECONDS", options->stall_s, kSeconds,
              "Look for a deadlock when a call takes longer than this")
      .defaults_to("1 s");
  command.flag("--json", options->json, "Print the result as JSON instead of the program's output");
  command.flag("-q,--quiet", options->quiet, "Print nothing, only write check.json");
  command.example("plait check -- mpiexec -n 4 ./app");
  command.action([&command, options] {
    require_program(command);
    return run_check(*options);
  });
}

}  // namespace plait::cli
