// SPDX-License-Identifier: BSD-3-Clause
// Judges where the ranks and threads of a run were, and whether it followed its plan.
#include "advise/where_ranks_ran.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "base/failure.hpp"
#include "base/json_file.hpp"
#include "launcher/inside_launcher.hpp"
#include "launcher/plan_placement.hpp"
#include "machine/machine_file.hpp"
#include "run/judge_run.hpp"
#include "trace/rank_record.hpp"

namespace plait::advise {

namespace fs = std::filesystem;

std::vector<std::string> planned_command(const launcher::Plan& plan,
                                         const std::vector<std::string>& command,
                                         const fs::path& folder) {
  const launcher::PlannedCommand by_plan =
      launcher::command_of(plan, launcher::understand_command(command), folder);
  for (const auto& [name, content] : by_plan.files) write_text_file(folder / name, content);
  for (const std::string& note : by_plan.notes) fmt::print(stderr, "plait: note: {}\n", note);
  std::vector<std::string> argv{"env"};
  for (const auto& [name, value] : by_plan.environment) argv.push_back(name + "=" + value);
  if (argv.size() == 1) argv.clear();
  argv.insert(argv.end(), by_plan.argv.begin(), by_plan.argv.end());
  return argv;
}

void compare_with_plan(const launcher::Plan& plan, WhereRanksRan& seen) {
  const auto differences = launcher::differences(plan, seen.input);
  seen.kept_to_plan = launcher::plan_sentence(plan, differences);
  if (differences.empty()) return;
  run::RunFinding found;
  found.finding = launcher::places_finding(plan, differences);
  found.fix = "see plait doctor for known problems of this MPI; make the plan for this machine";
  seen.judgement.findings.insert(seen.judgement.findings.begin(), std::move(found));
}

WhereRanksRan where_ranks_ran(const fs::path& directory, const std::vector<std::string>& command,
                              const std::vector<std::string>& asked) {
  std::vector<std::string> problems;
  const auto records = trace::read_records(directory / "records", &problems);
  for (const std::string& problem : problems) fmt::print(stderr, "plait: warning: {}\n", problem);
  const machine::MachineFile machine = machine::load(directory / "machine.json");
  WhereRanksRan seen;
  seen.input = run::placement_of(records, machine, command);
  if (seen.input.ranks.empty()) {
    throw Failure(asked.front(), "none of its processes was observed",
                  "check that the program starts and is linked to a shared MPI library");
  }
  launcher::Launcher launcher = launcher::understand_command(command).launcher;
  const auto job = launcher::inside_launcher();
  if (job && launcher.kind == launcher::LauncherKind::none) launcher = job->launcher;
  seen.judgement = run::judge_run(records, machine, launcher, command);
  if (auto found = run::one_rank_jobs(records, launcher, command)) {
    seen.judgement.sentence = found->finding.what;
    seen.judgement.findings.insert(seen.judgement.findings.begin(), std::move(*found));
  }
  return seen;
}

}  // namespace plait::advise
