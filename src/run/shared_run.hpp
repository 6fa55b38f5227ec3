// SPDX-License-Identifier: BSD-3-Clause
// Shares one run directory among the ranks of a job, each started as `plait run app`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launcher/inside_launcher.hpp"
#include "run/run.hpp"
#include "run/run_directory.hpp"
#include "run/run_setup.hpp"
#include "run/supervise.hpp"

namespace plait::run {

/// How one rank ended.
struct RankEnd {
  int rank = 0;
  std::string host;
  int exit_code = 0;
  int signal = 0;  ///< 0: none
  bool timed_out = false;
  int interrupted_by = 0;  ///< the signal that plait got; 0: none
  double start_unix_s = 0;
  double end_unix_s = 0;
  std::vector<std::string> problems;
};

/// The folder that the ranks of a job share: the first rank makes it, the last one completes it.
/// Ranks on several nodes need a shared file system on which mkdir and flock work.
class SharedRun {
public:
  /// Makes or joins the folder: that of --output, or plait-runs/NAME-JOB.
  /// @throws Error when the folder belongs to another run, or the job has no key and no --output.
  SharedRun(const RunRequest& request, const RunSetup& setup, const launcher::JobRank& job);

  [[nodiscard]] const RunDirectory& directory() const { return directory_; }
  /// True if this rank made the folder.
  [[nodiscard]] bool first() const { return first_; }

  /// Records how this rank ended. The last rank of the job writes run.json.
  /// @returns true for the last rank
  bool leave(const RankEnd& end) const;

private:
  void make(const RunSetup& setup);
  void join() const;
  void finish(const std::vector<RankEnd>& ends) const;

  launcher::JobRank job_;
  RunDirectory directory_;
  RunFile run_;
  bool first_ = false;
};

}  // namespace plait::run
