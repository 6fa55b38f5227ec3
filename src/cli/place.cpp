// SPDX-License-Identifier: BSD-3-Clause
// plait place: from what a person asks ("4 ranks x 8 threads, one an L3") to each launcher's words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>

#include "base/counted.hpp"
#include "base/json_file.hpp"
#include "base/shell_word.hpp"
#include "cli/allocation.hpp"
#include "cli/commands.hpp"
#include "cli/place_run.hpp"
#include "launch/plan_placing.hpp"
#include "machine/open_machine.hpp"
#include "map/placing_table.hpp"
#include "plait/error.hpp"
#include "report/text.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;
using launch::LauncherKind;

using launch::kPlanName;

struct PlaceOptions {
  std::string intent;
  std::string machine;
  std::string launcher;
  std::string emit;
  std::vector<std::string> hosts;
  bool of_job = false;  ///< the hosts are those of the Slurm job around
  int cpus_of_job = 0;  ///< on its smallest node; 0: unknown
  fs::path output;
  fs::path run;
  std::optional<double> memory_bound;
};

/// What was asked, placed.
struct Placed {
  machine::MachineFile machine;
  map::Placing placing;
  launch::Plan plan;
};

/// A name for each node: the user's, else this host's, else node0, node1 ...
std::vector<std::string> hosts_of(const PlaceOptions& options, int nodes) {
  if (!options.hosts.empty()) {
    if (static_cast<int>(options.hosts.size()) < nodes) {
      throw Error(options.of_job ? "the Slurm job" : "--hosts",
                  fmt::format("names {} hosts for {} nodes", options.hosts.size(), nodes),
                  options.of_job ? "ask Slurm for more" : "name one for each");
    }
    return options.hosts;
  }
  if (nodes == 1) return {""};
  std::vector<std::string> hosts;
  for (int node = 0; node < nodes; ++node) hosts.push_back(fmt::format("node{}", node));
  return hosts;
}

/// Cores of a node that the job has only a part of cannot be chosen.
void note_part_of_node(const PlaceOptions& options, Placed& placed) {
  const auto cores = static_cast<int>(placed.machine.topology.allowed_cores().size());
  if (options.cpus_of_job == 0 || options.cpus_of_job >= cores) return;
  placed.placing.notes.push_back(
      fmt::format("the job has {} of a node, {} has {} cores: --exclusive gives whole "
                  "nodes",
                  counted(options.cpus_of_job, "CPU"), placed.machine.host, cores));
}

Placed place(const PlaceOptions& options) {
  launch::check_host_names("--hosts", options.hosts);
  Placed placed;
  placed.machine = machine::open_machine(options.machine);
  map::Intent intent = map::parse_intent(options.intent);
  if (!intent.nodes && options.hosts.size() > 1) {
    const int hosts = static_cast<int>(options.hosts.size());
    intent.nodes = options.of_job ? std::min(hosts, intent.ranks.value_or(hosts)) : hosts;
  }
  placed.placing = map::place_ranks(intent, placed.machine.topology, options.intent);
  placed.plan = launch::plan_of(placed.placing, intent, placed.machine.topology,
                                hosts_of(options, placed.placing.nodes));
  note_part_of_node(options, placed);
  placed.plan.name = options.intent;
  placed.plan.source = fmt::format("plait place \"{}\"", options.intent);
  return placed;
}

launch::Launcher launcher_of(const std::string& text) {
  if (const auto kind = launch::launcher_of_word(text)) {
    return {*kind, "", *kind == LauncherKind::slurm ? "srun" : "mpiexec", ""};
  }
  const launch::Launcher found = launch::identify_launcher(text);
  if (found.kind != LauncherKind::none) return found;
  throw Error(text, "is no launcher that Plait knows",
              "give openmpi4, openmpi5, mpich, intel, slurm, or a launcher's name (mpiexec)");
}

const char* title(LauncherKind kind) {
  switch (kind) {
    case LauncherKind::openmpi4:
      return "Open MPI 4";
    case LauncherKind::openmpi5:
      return "Open MPI 5";
    case LauncherKind::mpich:
      return "MPICH";
    case LauncherKind::intel:
      return "Intel MPI";
    case LauncherKind::slurm:
      return "Slurm";
    case LauncherKind::none:
      break;
  }
  return "";
}

std::vector<launch::Launcher> launchers_of(const PlaceOptions& options) {
  if (!options.launcher.empty()) return {launcher_of(options.launcher)};
  std::vector<launch::Launcher> all;
  for (const char* word : {"openmpi4", "openmpi5", "mpich", "intel", "slurm"}) {
    all.push_back(launcher_of(word));
  }
  return all;
}

void print_wrapped(const std::string& text, const std::string& indent = "") {
  for (const std::string& line : report::wrap(text, 80 - indent.size(), 8)) {
    fmt::print("{}{}\n", indent, line);
  }
}

void print_command(const launch::Launcher& launcher, const launch::PlannedCommand& command) {
  std::vector<std::string> words;
  for (const auto& [name, value] : command.environment) {
    words.push_back(name + "=" + shell_word(value));
  }
  for (const std::string& word : command.argv) words.push_back(shell_word(word));
  fmt::print("\n{}\n  {}\n", title(launcher.kind), fmt::join(words, " "));
  for (const std::string& note : command.notes) print_wrapped("note: " + note, "  ");
}

void print_text(const PlaceOptions& options, const Placed& placed,
                const std::vector<std::string>& program) {
  print_wrapped(
      map::placing_sentence(placed.placing, placed.machine.topology, placed.machine.host));
  for (const std::string& note : placed.placing.notes) print_wrapped("note: " + note);
  std::vector<std::string> names;
  for (const launch::RankPlaces& rank : placed.plan.places) {
    names.push_back(rank.node.empty() ? placed.machine.host : rank.node);
  }
  fmt::print("\n{}", map::placing_table(placed.placing, placed.machine.topology, names));
  const fs::path folder = options.output.empty() ? fs::path("plan") : options.output;
  bool files = false;
  for (const launch::Launcher& launcher : launchers_of(options)) {
    const fs::path own = folder / launch::launcher_word(launcher.kind);
    const launch::PlannedCommand command = launch::command_of(placed.plan, launcher, program, own);
    print_command(launcher, command);
    files = files || !command.files.empty();
    if (options.output.empty()) continue;
    fs::create_directories(own);
    for (const auto& [name, content] : command.files) write_text_file(own / name, content);
  }
  if (!options.output.empty()) {
    launch::save_plan(folder / kPlanName, placed.plan);
    fmt::print("\nThe plan is in {0}.\nNext: plait where --plan {0} -- mpiexec ./app\n",
               (folder / kPlanName).string());
  } else {
    fmt::print("\nNext: -o plan writes the plan{}\n",
               files ? ", and the files that these commands read" : "");
  }
}

void emit(const PlaceOptions& options, const Placed& placed,
          const std::vector<std::string>& program) {
  if (options.emit == "plan") {
    fmt::print("{}", launch::plan_text(placed.plan));
    return;
  }
  fmt::print("{}", launch::start_script(placed.plan, launcher_of(options.emit), program));
}

/// Takes the nodes of the Slurm job around, where the placement is for nodes like this one.
void take_job(PlaceOptions& options) {
  if (!options.hosts.empty() || !options.machine.empty()) return;
  const auto allocation = launch::slurm_allocation();
  if (!allocation) return;
  options.hosts = launch::node_names(*allocation);
  options.of_job = true;
  options.cpus_of_job =
      std::min_element(allocation->nodes.begin(), allocation->nodes.end(),
                       [](const auto& a, const auto& b) { return a.cpus < b.cpus; })
          ->cpus;
  tell_allocation(*allocation);
}

int run_place(PlaceOptions& options, std::vector<std::string> program) {
  take_job(options);
  if (!options.run.empty()) {
    if (!options.intent.empty()) {
      throw Error("--run", "chooses the placement itself", "give an intent or --run, not both");
    }
    if (const fs::path own = options.run / "machine.json";
        options.machine.empty() && fs::exists(own)) {
      options.machine = own.string();
    }
    RunIntent of_run = intent_of_run(options.run, machine::open_machine(options.machine),
                                     options.memory_bound, options.emit.empty() ? stdout : stderr);
    options.intent = std::move(of_run.intent);
    if (options.hosts.empty()) options.hosts = std::move(of_run.hosts);
  }
  if (options.intent.empty()) {
    throw Error("plait place", "there is no intent",
                fmt::format("an intent is\n{}", map::kIntentGrammar));
  }
  if (program.empty()) program = {"./app"};
  const Placed placed = place(options);
  if (options.emit.empty()) {
    print_text(options, placed, program);
  } else {
    emit(options, placed, program);
  }
  return 0;
}

}  // namespace

void add_place(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<PlaceOptions>();
  const auto program = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "place", "Say what is wanted of a placement, get each launcher's words for it");
  command->footer(fmt::format("plait place \"4 ranks x 8 threads, one an L3\"\nAn intent is\n{}",
                              map::kIntentGrammar));
  command->add_option("intent", options->intent, "What is wanted, as below");
  command->add_option("-m,--machine", options->machine, "Place on another machine");
  command->add_option("-r,--run", options->run, "Choose packed or spread for this run's program");
  command
      ->add_option("--memory-bound", options->memory_bound,
                   "Share of its computing that waits for memory, 0 to 1")
      ->check(CLI::Range(0.0, 1.0));
  command->add_option("--hosts", options->hosts, "Names of the nodes [those of the Slurm job]")
      ->delimiter(',');
  command->add_option("-p,--program", *program, "Program and arguments [./app]");
  command->add_option("-l,--launcher", options->launcher,
                      "Only openmpi4, openmpi5, mpich, intel, slurm, or a launcher");
  command->add_option("--emit", options->emit,
                      "Print only a script for that launcher, or \"plan\"");
  command->add_option("-o,--output", options->output, "Write the plan and its files here");
  command->callback([options, program, &exit_code] {
    std::istringstream words(*program);
    std::vector<std::string> argv;
    for (std::string word; words >> word;) argv.push_back(word);
    exit_code = run_place(*options, argv);
  });
}

}  // namespace plait::cli
