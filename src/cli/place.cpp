// SPDX-License-Identifier: BSD-3-Clause
// plait place: translates a placement request into launcher options.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>

#include "advise/placement.hpp"
#include "advise/placement_of_run.hpp"
#include "cli/commands.hpp"
#include "cli/place_output.hpp"
#include "cli/run_options.hpp"
#include "launcher/further_script.hpp"
#include "launcher/launcher_traits.hpp"
#include "machine/open_machine.hpp"
#include "plait/error.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;
using launcher::LauncherKind;

struct PlaceOptions {
  advise::PlacementRequest request;
  std::string launcher;
  std::string emit;
  fs::path output;
  fs::path run;
  fs::path other_run;
  std::string program = "./app";
  std::optional<double> memory_bound;
};

const std::vector<std::string> launcher_names{"openmpi4", "openmpi5", "mpich", "intel", "slurm"};

launcher::Launcher launcher_of(const std::string& text) {
  if (const auto kind = launcher::launcher_of_key(text)) {
    return {*kind, "", launcher::traits_of(*kind).facts().command, ""};
  }
  const launcher::Launcher found = launcher::identify_launcher(text);
  if (found.kind != LauncherKind::none) return found;
  throw Error(
      fmt::format("unknown launcher \"{}\"; give openmpi4, openmpi5, mpich, intel, slurm, or "
                  "a launcher's program (mpiexec)",
                  text));
}

std::vector<launcher::Launcher> launchers_of(const PlaceOptions& options) {
  if (!options.launcher.empty()) return {launcher_of(options.launcher)};
  std::vector<launcher::Launcher> all;
  for (const std::string& name : launcher_names) all.push_back(launcher_of(name));
  return all;
}

/// The request that suits a run's program best.
void ask_for_run(PlaceOptions& options) {
  advise::PlacementRequest& request = options.request;
  if (!request.intent.empty())
    throw Error("a request and --run cannot be used together; leave one of them out");
  const fs::path own = options.run / "machine.json";
  if (request.machine.empty() && fs::exists(own)) request.machine = own.string();
  const advise::PlacementOfRun of = advise::choose_placement(
      options.run, options.other_run, machine::open_machine(request.machine), options.memory_bound);
  print_choice(of, options.emit.empty() ? stdout : stderr);
  request.intent = of.choice.alternatives[of.choice.best].intent;
  if (request.hosts.empty()) request.hosts = of.hosts;
}

int place(PlaceOptions& options) {
  advise::take_job(options.request);
  if (!options.run.empty()) ask_for_run(options);
  if (options.request.intent.empty()) {
    throw Error(fmt::format("no placement requested; a request has the form\n{}",
                            placement::kIntentGrammar));
  }
  std::istringstream blanks(options.program);
  std::vector<std::string>& program = options.request.program;
  for (std::string part; blanks >> part;) program.push_back(part);
  const advise::PlacedRanks placed = advise::place_ranks(options.request);
  if (options.emit == "plan") {
    fmt::print("{}", launcher::plan_text(placed.plan));
  } else if (const auto further = launcher::further_launcher(options.emit)) {
    fmt::print("{}", launcher::further_script(placed.plan, *further, program));
  } else if (!options.emit.empty()) {
    fmt::print("{}", launcher::start_script(placed.plan, launcher_of(options.emit), program));
  } else {
    print_placement(placed, launchers_of(options), program, options.output);
  }
  return 0;
}

}  // namespace

void add_place(Command& plait) {
  const auto options = std::make_shared<PlaceOptions>();
  advise::PlacementRequest& request = options->request;
  Command& command = plait.add_command(
      "place", "Translate a placement request into launcher options", group::decide);
  command.describe_verbatim(std::string("A request has the form\n") + placement::kIntentGrammar);
  command.argument("REQUEST", request.intent, "Placement request, in quotes");
  add_machine_option(command, request.machine, "Machine to place on").defaults_to("this node");
  command
      .option("-r,--run", "RUN", options->run,
              "Choose a packed or spread placement for the program of this run directory")
      .completes(Complete::folder);
  command
      .option("--other-run", "RUN", options->other_run,
              "Another run of the program, placed otherwise: gives the memory-bound share")
      .needs("--run")
      .completes(Complete::folder);
  command.option(
      "--memory-bound", "SHARE", options->memory_bound, {0, 1},
      "Memory-bound share of the program's computation, 0 to 1 (default: from the runs)");
  command.list("--hosts", "NAMES", request.hosts, ",", "Names of the nodes: a,b,c,d")
      .defaults_to("those of the Slurm job");
  command
      .option("-p,--program", "COMMAND", options->program,
              "Program and arguments to start; separate several with \":\"")
      .defaults_to("./app");
  command
      .option(
          "-l,--launcher", "LAUNCHER", options->launcher,
          "Print the command of this launcher only: openmpi4, openmpi5, mpich, intel, slurm, or "
          "a launcher's program")
      .suggests(launcher_names);
  command
      .option("--emit", "LAUNCHER", options->emit,
              "Print only a script for this launcher. numactl: each rank binds itself, under any "
              "launcher. plan: print the plan.")
      .suggests({"plan", "openmpi4", "openmpi5", "mpich", "intel", "slurm", "aprun", "omplace",
                 "numactl"});
  command
      .option("-o,--output", "FOLDER", options->output,
              "Write the plan, and the files that launchers read, to this folder")
      .completes(Complete::folder);
  command.example("plait place \"4 ranks x 8 threads, one per L3\"");
  command.example("plait place \"4 ranks x 8 threads : 2 ranks\" -p \"./ocean : ./ice\"");
  command.action([options] { return place(*options); });
}

}  // namespace plait::cli
