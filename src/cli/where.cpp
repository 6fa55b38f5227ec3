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

#include "cli/commands.hpp"
#include "cli/program_command.hpp"
#include "launch/inside_launcher.hpp"
#include "launch/judge_run.hpp"
#include "launch/run.hpp"
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
};

Seen look(const fs::path& directory, const std::vector<std::string>& command) {
  std::vector<std::string> problems;
  const auto records = trace::read_records(directory / "records", &problems);
  for (const std::string& problem : problems) fmt::print(stderr, "plait: warning: {}\n", problem);
  const machine::MachineFile machine = machine::load(directory / "machine.json");
  Seen seen;
  seen.input = launch::placement_of(records, machine, command);
  if (seen.input.ranks.empty()) {
    throw Error(command.front(), "no process of it was seen",
                "check that it starts and is linked to a shared MPI library", 1);
  }
  const auto job = launch::inside_launcher();
  const launch::Launcher launcher =
      job ? job->launcher : launch::understand_command(command).launcher;
  seen.judgement = launch::judge_run(records, machine, launcher, command);
  return seen;
}

void print_text(const Seen& seen, const std::vector<std::string>& command) {
  const launch::RunJudgement& judgement = seen.judgement;
  fmt::print("{}\n{}\n", map::placement_table(seen.input), judgement.sentence);
  for (const launch::RunFinding& found : judgement.findings) {
    fmt::print("\n{} ({})\n  evidence: {}\n  cost:     {}\n  mend:     {}\n", found.finding.what,
               found.finding.severity, found.finding.evidence, found.finding.cost, found.mend);
  }
  if (!judgement.findings.empty() && !judgement.findings.front().mended_command.empty()) {
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

int where(WhereOptions& options) {
  launch::RunRequest& request = options.request;
  if (request.command.empty()) {
    throw Error("plait where", "there is no program to run", "plait where -- mpiexec -n 4 ./app");
  }
  request.placement_only = true;
  request.show_stdout = options.show_output;
  if (options.time_limit_s > 0) request.time_limit_s = options.time_limit_s;
  const bool keep = !request.output.empty();
  fs::path scratch;
  if (!keep && !launch::inside_launcher()) {
    scratch = scratch_folder();
    request.output = scratch;
  }
  const auto clean = [&](const fs::path& folder) {
    std::error_code none;
    if (!keep && !folder.empty()) fs::remove_all(folder, none);
  };
  try {
    const launch::RunResult result = launch::run(request);
    if (result.reports) {
      const Seen seen = look(result.directory, request.command);
      options.json ? print_json(seen, request.command) : print_text(seen, request.command);
      clean(result.directory);
    }
    return result.exit_code;
  } catch (...) {
    clean(scratch);
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
  command
      ->add_option("--mpi", options->request.mpi,
                   "MPI of the program, where it does not tell itself (Python, scripts)")
      ->check(CLI::IsMember({"openmpi", "mpich", "abi"}));
  command->add_option("--time-limit", options->time_limit_s, "End the run after so many seconds")
      ->check(CLI::PositiveNumber);
  command->add_flag("--show-output", options->show_output, "Show the program's output too");
  command->add_flag("--json", options->json, "Print JSON");
  takes_program_command(command, options->unused);
  command->callback([command, options, &exit_code] {
    options->request.command = program_command(command);
    exit_code = where(*options);
  });
}

}  // namespace plait::cli
