// SPDX-License-Identifier: BSD-3-Clause
// plait apply: runs a program with and without a plan in turn, and keeps the plan if it is faster.
#include "advise/apply.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/json_file.hpp"
#include "base/subprocess.hpp"
#include "cli/apply_output.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "cli/run_options.hpp"
#include "plait/error.hpp"
#include "report/page.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;

struct ApplyOptions {
  advise::ApplyRequest request;
  bool json = false;
  std::string page;
};

bool is_plan(const std::string& text) {
  return fs::path(text).extension() == ".json" || fs::exists(fs::path(text) / launcher::kPlanName);
}

int apply_plan(const ApplyOptions& options) {
  advise::ApplyReport report = advise::apply(options.request);
  if (report.trials.interrupted_by) {
    for (const std::string& line : interrupted_lines(report)) fmt::print(stderr, "{}\n", line);
    throw Interrupted(*report.trials.interrupted_by);
  }
  const nlohmann::json value = apply_to_json(report);
  const fs::path file = fs::path(report.folder) / "apply.json";
  write_json_file(file, value);
  if (!options.page.empty()) {
    const std::string left_out = report::write_page({{"apply", value}}, options.page);
    if (!left_out.empty()) fmt::print(stderr, "plait: {}\n", left_out);
    if (left_out.empty()) report.page = options.page;
  }
  const int exit_code = report.won ? 0 : 1;
  if (options.json) {
    print_json(value);
    return exit_code;
  }
  report.result = file.string();
  for (const std::string& line : apply_lines(report)) fmt::print("{}\n", line);
  return exit_code;
}

/// Refuses an argument before "--" that is not a plan, and a missing program.
void check_command(const Command& command) {
  const std::vector<std::string>& unread = command.unread;
  if (unread.size() > 1 && unread[0] != "--" && unread[1] == "--") {
    throw Error(unread[0], "not a plan",
                "give a .json file, or a folder with plan.json (plait advise, plait place -o)");
  }
  require_program(command);
}

}  // namespace

void add_apply(Command& plait) {
  const auto options = std::make_shared<ApplyOptions>();
  advise::ApplyRequest& request = options->request;
  Command& command =
      plait.add_command("apply", "Test a plan, and keep it if it is faster", group::decide);
  command.describe(
      "The command runs with and without the plan in turn, in pairs, until the result is clear.");
  command.describe(
      "The result is also written to apply.json in the folder of the runs. The exit code is 0 if "
      "the plan was kept, otherwise 1.");
  command.argument("PLAN", request.plan, "Plan file or folder, from plait advise, map or place")
      .only_if(is_plan)
      .completes(Complete::file);
  command.list("--set", "NAME=VALUE", request.set, "",
               "Try this environment variable; may be repeated");
  command.list("--option", "OPTIONS", request.options, "",
               "Try these launcher options: \"--mca btl self,vader\"; may be repeated");
  command
      .option("--repeat", "N", request.repeat, {1, 1000},
              "Maximum number of pairs of runs; fewer if the result is clear earlier")
      .defaults_to("10");
  command
      .option("--time-limit", "SECONDS", request.time_limit_s, kSeconds,
              "Stop a run after this many seconds")
      .defaults_to("10 times the first run, at least 10 s");
  command.flag("--same-output", request.same_output,
               "Require identical standard output in all runs");
  command.option(
      "--time-from", "REGEX", request.time_from,
      "Find the time in the program's output with this regular expression: 'elapsed ([0-9.]+)'");
  command.option("-o,--output", "FOLDER", request.output, "Folder for the output of the runs")
      .defaults_to("plait-applies/APP-TIME")
      .completes(Complete::folder);
  command.option("--keep", "FILE", request.keep, "Write the plan to this file if it is faster")
      .defaults_to("plait-plan.json")
      .completes(Complete::file);
  command.flag("--json", options->json, "Print the result as JSON");
  command.option("--html", "FILE", options->page, "Write the runs as an HTML page")
      .completes(Complete::file);
  command.takes_program(request.command);
  command.example("plait apply PLAN.json -- mpiexec -n 4 ./app");
  command.example("plait apply --set OMPI_MCA_btl=self,vader -- mpiexec -n 4 ./app");
  command.action([&command, options] {
    check_command(command);
    return apply_plan(*options);
  });
}

}  // namespace plait::cli
