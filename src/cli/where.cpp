// SPDX-License-Identifier: BSD-3-Clause
// plait where: runs a program and reports only where its ranks and threads ran.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "advise/slurm_job.hpp"
#include "advise/where_ranks_ran.hpp"
#include "base/environment.hpp"
#include "base/failure.hpp"
#include "base/json.hpp"
#include "base/json_file.hpp"
#include "base/subprocess.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "cli/run_options.hpp"
#include "launcher/inside_launcher.hpp"
#include "launcher/plan_placement.hpp"
#include "machine/discover.hpp"
#include "placement/check_text.hpp"
#include "plait/error.hpp"
#include "report/run_file.hpp"
#include "run/run.hpp"
#include "run/started_as.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;

struct WhereOptions {
  run::RunRequest request;
  bool show_output = false;
  bool json = false;
  fs::path plan;
};

/// A folder for the records: here, where all nodes of a job see it, or the folder for temporary
/// files.
fs::path scratch_folder() {
  for (const fs::path& base : {fs::current_path(), fs::temp_directory_path()}) {
    std::string name = (base / ".plait-where-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) return name;
  }
  throw Failure(fs::temp_directory_path().string(),
                fmt::format("cannot be written to ({})", std::strerror(errno)),
                "give a folder with --output");
}

/// What surrounds plait in the user's command line: plait cluster run --.
std::vector<std::string> around_plait(const std::vector<std::string>& around) {
  const auto own = std::find(around.rbegin(), around.rend(), "plait");
  return own == around.rend() ? around : std::vector<std::string>(around.begin(), own.base() - 1);
}

/// @param command  as the user gave it
/// @param around   as in run::StartedAs
void print_text(const advise::WhereRanksRan& seen, const std::vector<std::string>& command,
                const std::vector<std::string>& around, const fs::path& plan) {
  const run::RunJudgement& judgement = seen.judgement;
  if (!seen.kept_to_plan.empty()) fmt::print("{}\n", seen.kept_to_plan);
  fmt::print("{}\n{}\n", placement::check_table(seen.input), judgement.sentence);
  for (const run::RunFinding& found : judgement.findings) {
    fmt::print("\n{} ({})\n  evidence: {}\n  cost:     {}\n  fix:      {}\n", found.finding.what,
               found.finding.severity, found.finding.evidence, found.finding.cost, found.fix);
  }
  std::vector<std::string> next = around_plait(around);
  if (!seen.kept_to_plan.empty()) {
    next.insert(next.end(), {"plait", "apply", plan.string(), "--"});
    fmt::print("\nNext: {}\n", run::started_text(next, command));
  } else if (!judgement.findings.empty() && !judgement.findings.front().fixed_command.empty()) {
    fmt::print("\nNext: {}\n", run::started_text(around, judgement.findings.front().fixed_command));
  } else {
    next.insert(next.end(), {"plait", "run", "--"});
    fmt::print("\nNext: {}\n", run::started_text(next, command));
  }
}

void print_seen_as_json(const advise::WhereRanksRan& seen,
                        const std::vector<std::string>& command) {
  nlohmann::json json{{"schema", "plait-where"},
                      {"schema_version", 1},
                      {"plait_version", PLAIT_VERSION},
                      {"command", command},
                      {"judgement", seen.judgement.sentence},
                      {"plan", seen.kept_to_plan},
                      {"threads", nlohmann::json::array()},
                      {"findings", nlohmann::json::array()}};
  for (const placement::RankPlace& rank : seen.input.ranks) {
    const placement::HostPlaces& host = seen.input.hosts[static_cast<std::size_t>(rank.host)];
    for (const placement::ThreadPlace& thread : rank.threads) {
      const std::vector<int> cores = host.topology.cores_of(thread.allowed);
      json["threads"].push_back({{"host", host.name},
                                 {"rank", rank.rank},
                                 {"program", rank.program},
                                 {"thread", thread.thread},
                                 {"tid", thread.tid},
                                 {"cpus", thread.allowed.format()},
                                 {"cores", cores},
                                 {"numa", host.topology.numa_of(cores)}});
    }
  }
  for (const run::RunFinding& found : seen.judgement.findings) {
    json["findings"].push_back({{"id", found.finding.id},
                                {"severity", found.finding.severity},
                                {"what", found.finding.what},
                                {"evidence", found.finding.evidence},
                                {"cost", found.finding.cost},
                                {"mend", found.fix},
                                {"mended_command", found.fixed_command}});
  }
  print_json(json);
}

/// Runs the program, and reports where it ran.
/// @param keep  the records
int run_and_look(WhereOptions& options, const std::vector<std::string>& command,
                 const std::optional<launcher::Plan>& plan, bool keep) {
  const run::RunResult result = run::run(options.request);
  if (result.reports && result.interrupted_by) throw Interrupted(*result.interrupted_by);
  if (result.reports) {
    advise::WhereRanksRan seen =
        advise::where_ranks_ran(result.directory, options.request.command, command);
    if (plan) advise::compare_with_plan(*plan, seen);
    const report::RunFile file = report::read_run_file(result.directory);
    const std::vector<std::string>& whole = plan ? command : file.started_command;
    options.json ? print_seen_as_json(seen, command)
                 : print_text(seen, whole, file.started_around, options.plan);
    std::error_code none;
    if (!keep) fs::remove_all(result.directory, none);
  }
  return result.exit_code;
}

int where(WhereOptions& options) {
  run::RunRequest& request = options.request;
  request.placement_only = true;
  request.show_stdout = options.show_output;
  std::optional<launcher::Plan> plan;
  if (!options.plan.empty()) {
    plan = advise::on_job_around(launcher::load_plan(options.plan));
    if (plan->places.empty()) {
      throw Error(
          options.plan.string(), "the plan does not say where ranks run",
          "plait apply tests plans with settings; plait place writes plans with placements");
    }
    launcher::check_places(*plan, machine::discover_local().topology, host_name());
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
      request.command = advise::planned_command(*plan, command, scratch.back());
    }
    const bool keep = !request.output.empty();
    if (!keep && !launcher::inside_launcher()) {
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

void add_where(Command& plait) {
  const auto options = std::make_shared<WhereOptions>();
  Command& command = plait.add_command(
      "where", "Run an MPI program and report where its ranks and threads ran", group::explain);
  add_run_options(command, options->request, "Keep the records in this folder (default: removed)");
  add_machine_option(command, options->request.machine, "Machine on which the placement is judged")
      .defaults_to("this node");
  command
      .option(
          "--plan", "PLAN", options->plan,
          "Start the program with this plan (plait place -o) and check that it follows the plan")
      .completes(Complete::file);
  command.flag("--show-output", options->show_output, "Show the program's output too");
  command.flag("--json", options->json, "Print the result as JSON");
  command.example("plait where -- mpiexec -n 4 ./app");
  command.action([&command, options] {
    require_program(command);
    options->request.typed = command.typed;
    return where(*options);
  });
}

}  // namespace plait::cli
