// SPDX-License-Identifier: BSD-3-Clause
// Reads run.json, the description of a run that plait run writes.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace plait::report {

/// The contents of a run.json; the run may still be going on, or plait may have been killed.
struct RunFile {
  std::vector<std::string> command;
  std::vector<std::string> started_around{"plait", "run", "--"};  ///< see run::StartedAs
  std::vector<std::string> started_command;
  std::vector<std::string> started_outer;
  std::vector<std::string> started_plain;
  std::string state;  ///< "running", "ended", ...
  double wall_s = 0;  ///< 0: unknown
  std::optional<int> exit_code;
  std::optional<int> interrupted_by;  ///< the signal that plait got
  std::optional<int> signal;
  std::string allocation;     ///< "Slurm job 12: 2 nodes x 4 CPUs"; empty: none
  std::string replayed_on;    ///< network of a replayed trace; empty: a run
  std::string replay_of;      ///< the run directory of its trace
  std::string launcher_kind;  ///< empty: none
  std::string launcher_version;
  std::string launcher_path;
  std::map<std::string, std::string> environment;  ///< secrets masked
};

/// Reads DIR/run.json.
/// @throws Error when the directory or the file is missing, damaged or of another version.
RunFile read_run_file(const std::filesystem::path& run_dir);

}  // namespace plait::report
