// SPDX-License-Identifier: BSD-3-Clause
// plait where: runs a program and says only where its ranks and threads ran.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/json_file.hpp"
#include "base/subprocess.hpp"
#include "cli/allocation.hpp"
#include "cli/commands.hpp"
#include "cli/program_command.hpp"
#include "launch/environment.hpp"
#include "launch/inside_launcher.hpp"
#include "launch/judge_run.hpp"
#include "launch/one_rank_jobs.hpp"
#include "launch/plan_placing.hpp"
#include "launch/run.hpp"
#include "machine/discover.hpp"
#include "machine/machine_file.hpp"
#include "map/placement_table.hpp"
#include "plait/error.hpp"
#include "report/command_text.hpp"
#include "trace/rank_record.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;

struct WhereOptions {
  launch::RunRequest request;
  double time_limit_s = 0;
  bool show_output = false;
  bool json = false;
  fs::path plan;
  std::string unused;
};

/// A folder for the records, here, where all nodes of a job see it; elsewhere when this is no place
/// to write to.
fs::path scratch_folder() {
  for (const fs::path& base : {fs::current_path(), fs::temp_directory_path()}) {
    std::string name = (base / ".plait-where-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) return name;
  }
  throw Error(fs::temp_directory_path().string(),
              fmt::format("cannot be written to ({})", std::strerror(errno)),
              "give a folder with --output", 1);
}

/// What was seen of a run, and what is to be said about it.
struct Seen {
  map::PlacementInput input;
  launch::RunJudgement judgement;
  std::string kept_to_plan;  ///< whether it did; empty without a plan
};

/// The command that starts the user's program by a plan, whose files go to `folder`.
std::vector<std::string> planned(const launch::Plan& plan, const std::vector<std::string>& command,
                                 const fs::path& folder) {
  const launch::PlannedCommand by_plan =
      launch::command_of(plan, launch::understand_command(command), folder);
  for (const auto& [name, content] : by_plan.files) write_text_file(folder / name, content);
  for (const std::string& note : by_plan.notes) fmt::print(stderr, "plait: note: {}\n", note);
  std::vector<std::string> argv{"env"};
  for (const auto& [name, value] : by_plan.environment) argv.push_back(name + "=" + value);
  if (argv.size() == 1) argv.clear();
  argv.insert(argv.end(), by_plan.argv.begin(), by_plan.argv.end());
  return argv;
}

/// Says whether the run kept to its plan; if not, that is the first finding.
void check_plan(const launch::Plan& plan, Seen& seen) {
  const auto differences = launch::differences(plan, seen.input);
  seen.kept_to_plan = launch::plan_sentence(plan, differences);
  if (differences.empty()) return;
  launch::RunFinding found;
  found.finding = launch::places_finding(plan, differences);
  found.mend = "plait doctor names what is known of this MPI; make the plan for this machine";
  seen.judgement.findings.insert(seen.judgement.findings.begin(), std::move(found));
}

/// @param command  that was run
/// @param asked  the same as the user gave it
Seen look(const fs::path& directory, const std::vector<std::string>& command,
          const std::vector<std::string>& asked) {
  std::vector<std::string> problems;
  const auto records = trace::read_records(directory / "records", &problems);
  for (const std::string& problem : problems) fmt::print(stderr, "plait: warning: {}\n", problem);
  const machine::MachineFile machine = machine::load(directory / "machine.json");
  Seen seen;
  seen.input = launch::placement_of(records, machine, command);
  if (seen.input.ranks.empty()) {
    throw Error(asked.front(), "no process of it was seen",
                "check that it starts and is linked to a shared MPI library", 1);
  }
  launch::Launcher launcher = launch::understand_command(command).launcher;
  const auto job = launch::inside_launcher();
  if (job && launcher.kind == launch::LauncherKind::none) launcher = job->launcher;
  seen.judgement = launch::judge_run(records, machine, launcher, command);
  if (auto found = launch::one_rank_jobs(records, launcher, command)) {
    seen.judgement.sentence = found->finding.what;
    seen.judgement.findings.insert(seen.judgement.findings.begin(), std::move(*found));
  }
  return seen;
}

/// @param command  as the user gave it
void print_text(const Seen& seen, const std::vector<std::string>& command, const fs::path& plan) {
  const launch::RunJudgement& judgement = seen.judgement;
  if (!seen.kept_to_plan.empty()) fmt::print("{}\n", seen.kept_to_plan);
  fmt::print("{}\n{}\n", map::placement_table(seen.input), judgement.sentence);
  for (const launch::RunFinding& found : judgement.findings) {
    fmt::print("\n{} ({})\n  evidence: {}\n  cost:     {}\n  mend:     {}\n", found.finding.what,
               found.finding.severity, found.finding.evidence, found.finding.cost, found.mend);
  }
  if (!seen.kept_to_plan.empty()) {
    fmt::print("\nNext: plait apply {} -- {}\n", plan.string(), report::command_text(command));
  } else if (!judgement.findings.empty() && !judgement.findings.front().mended_command.empty()) {
    fmt::print("\nNext: plait where -- {}\n",
               report::command_text(judgement.findings.front().mended_command));
  } else {
    fmt::print("\nNext: plait run -- {}\n", report::command_text(command));
  }
}

void print_json(const Seen& seen, const std::vector<std::string>& command) {
  nlohmann::json json{{"schema", "plait-where"},
                      {"schema_version", 1},
                      {"plait_version", PLAIT_VERSION},
                      {"command", command},
                      {"judgement", seen.judgement.sentence},
                      {"plan", seen.kept_to_plan},
                      {"threads", nlohmann::json::array()},
                      {"findings", nlohmann::json::array()}};
  for (const map::RankPlace& rank : seen.input.ranks) {
    const map::HostPlaces& host = seen.input.hosts[static_cast<std::size_t>(rank.host)];
    for (const map::ThreadPlace& thread : rank.threads) {
      const std::vector<int> cores = host.topology.cores_of(thread.allowed);
      json["threads"].push_back({{"host", host.name},
                                 {"rank", rank.rank},
                                 {"thread", thread.thread},
                                 {"tid", thread.tid},
                                 {"cpus", thread.allowed.format()},
                                 {"cores", cores},
                                 {"numa", host.topology.numa_of(cores)}});
    }
  }
  for (const launch::RunFinding& found : seen.judgement.findings) {
    json["findings"].push_back({{"id", found.finding.id},
                                {"severity", found.finding.severity},
                                {"what", found.finding.what},
                                {"evidence", found.finding.evidence},
                                {"cost", found.finding.cost},
                                {"mend", found.mend},
                                {"mended_command", found.mended_command}});
  }
  fmt::print("{}\n", json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// Runs the program, and looks at where it ran.
/// @param keep  the records
int run_and_look(WhereOptions& options, const std::vector<std::string>& command,
                 const std::optional<launch::Plan>& plan, bool keep) {
  const launch::RunResult result = launch::run(options.request);
  if (result.reports && result.interrupted_by) throw Interrupted(*result.interrupted_by);
  if (result.reports) {
    Seen seen = look(result.directory, options.request.command, command);
    if (plan) check_plan(*plan, seen);
    options.json ? print_json(seen, command) : print_text(seen, command, options.plan);
    std::error_code none;
    if (!keep) fs::remove_all(result.directory, none);
  }
  return result.exit_code;
}

int where(WhereOptions& options) {
  launch::RunRequest& request = options.request;
  if (request.command.empty()) {
    throw Error("plait where", "there is no program to run", "plait where -- mpiexec -n 4 ./app");
  }
  request.placement_only = true;
  request.show_stdout = options.show_output;
  if (options.time_limit_s > 0) request.time_limit_s = options.time_limit_s;
  std::optional<launch::Plan> plan;
  if (!options.plan.empty()) {
    plan = on_job_around(launch::load_plan(options.plan));
    if (plan->places.empty()) {
      throw Error(options.plan.string(), "does not say where ranks run",
                  "plait apply tries plans of settings; plait place makes one of places");
    }
    launch::check_places(*plan, machine::discover_local().topology, launch::host_name());
  }
  const std::vector<std::string> command = request.command;
  std::vector<fs::path> scratch;
  const auto clean = [&] {
    std::error_code none;
    for (const fs::path& folder : scratch) fs::remove_all(folder, none);
  };
  try {
    if (plan) {
      scratch.push_back(scratch_folder());
      request.command = planned(*plan, command, scratch.back());
    }
    const bool keep = !request.output.empty();
    if (!keep && !launch::inside_launcher()) {
      scratch.push_back(scratch_folder());
      request.output = scratch.back();
    }
    const int exit_code = run_and_look(options, command, plan, keep);
    clean();
    return exit_code;
  } catch (...) {
    clean();
    throw;
  }
}

}  // namespace

void add_where(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<WhereOptions>();
  CLI::App* command =
      app.add_subcommand("where", "Run an MPI program and say where its ranks and threads ran");
  command->footer("plait where [options] -- mpiexec -n 4 ./app ...");
  command->add_option("-o,--output", options->request.output,
                      "Keep the records in this folder [removed]");
  command->add_option("-m,--machine", options->request.machine, "Judge for another machine");
  command->add_option("--plan", options->plan,
                      "Start it by a plan (plait place -o), and say whether it kept to it");
  command
      ->add_option("--mpi", options->request.mpi,
                   "MPI of the program, where it does not tell itself (Python, scripts)")
      ->check(CLI::IsMember({"openmpi", "mpich", "abi"}));
  command->add_option("--time-limit", options->time_limit_s, "End the run after so many seconds")
      ->check(CLI::Range(0.001, 1e9));
  command->add_flag("--show-output", options->show_output, "Show the program's output too");
  command->add_flag("--json", options->json, "Print JSON");
  takes_program_command(command, options->unused);
  command->callback([command, options, &exit_code] {
    options->request.command = program_command(command);
    exit_code = where(*options);
  });
}

}  // namespace plait::cli
