// SPDX-License-Identifier: BSD-3-Clause
// One run directory for all ranks of a job that was started around Plait.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launch/inside_launcher.hpp"
#include "launch/run.hpp"
#include "launch/run_directory.hpp"
#include "launch/run_setup.hpp"
#include "launch/supervise.hpp"

namespace plait::launch {

/// How one rank ended.
struct RankEnd {
  int rank = 0;
  std::string host;
  int exit_code = 0;
  int signal = 0;  ///< 0: none
  bool timed_out = false;
  double start_unix_s = 0;
  double end_unix_s = 0;
  std::vector<std::string> problems;
};

/// The folder that the ranks of a job agree on: the first to come makes it, the last to go ends it.
/// Ranks of several nodes need a file system that they share, with mkdir and flock that work.
class SharedRun {
public:
  /// Makes or joins the folder: --output, or plait-runs/NAME-JOB.
  /// @throws Error when the folder belongs to another run, or the job has no key and no --output.
  SharedRun(const RunRequest& request, const RunSetup& setup, const JobRank& job);

  [[nodiscard]] const RunDirectory& directory() const { return directory_; }
  /// This rank made the folder.
  [[nodiscard]] bool first() const { return first_; }

  /// Notes how this rank ended. The last of the job writes run.json.
  /// @returns true for the last
  bool leave(const RankEnd& end) const;

private:
  void make(const RunRequest& request, const RunSetup& setup);
  void join() const;
  void finish(const std::vector<RankEnd>& ends) const;

  JobRank job_;
  RunDirectory directory_;
  RunFile run_;
  bool first_ = false;
};

}  // namespace plait::launch
