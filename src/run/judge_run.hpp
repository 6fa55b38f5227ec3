// SPDX-License-Identifier: BSD-3-Clause
// Judges the placement of a run from its records: findings, each with a fix.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/launcher.hpp"
#include "machine/machine_file.hpp"
#include "placement/placement_check.hpp"
#include "trace/rank_record.hpp"

namespace plait::run {

/// Records of processes of a run, which outlive the list.
class Records : public std::vector<const trace::RankRecord*> {
public:
  Records(std::vector<const trace::RankRecord*> records) : vector(std::move(records)) {}
  Records(const std::vector<trace::RankRecord>& records) {
    for (const trace::RankRecord& record : records) push_back(&record);
  }
  Records(std::initializer_list<trace::RankRecord> records) {
    for (const trace::RankRecord& record : records) push_back(&record);
  }
};

/// The input of placement::judge_placement from the records of a run. The latest phase of each rank
/// counts. Processes that never initialized MPI are left out, unless no process did.
/// @param machine  the node; all hosts are assumed to be the same, but within an emulated cluster
///                 each node has its own hardware threads
/// @param command  the command line, which may declare oversubscription
placement::PlacementInput placement_of(const Records& records, const machine::MachineFile& machine,
                                       const std::vector<std::string>& command);

/// A finding and its fix.
struct RunFinding {
  placement::PlacementFinding finding;
  std::string fix;                         ///< one line: the option to add
  std::vector<std::string> fixed_command;  ///< the whole command with the fix; empty: none
};

struct RunJudgement {
  std::string sentence;
  std::vector<RunFinding> findings;
};

/// Judges the placement of a run.
/// @param command  the command line that was run
RunJudgement judge_run(const Records& records, const machine::MachineFile& machine,
                       const launcher::Launcher& launcher, const std::vector<std::string>& command);

inline constexpr const char* kOneRankJobs = "one_rank_jobs";

/// The finding that a launcher and an MPI library that do not know each other made many jobs with
/// one rank each: as many as the command asks for, or, if it does not say, all running at the same
/// time. Its fix is another option or launcher.
/// @param records  of all processes of the run
std::optional<RunFinding> one_rank_jobs(const std::vector<trace::RankRecord>& records,
                                        const launcher::Launcher& launcher,
                                        const std::vector<std::string>& command);

}  // namespace plait::run
