// SPDX-License-Identifier: BSD-3-Clause
// One rank of the probe: runs the steps of the plan with the others.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "measure/pages.hpp"
#include "measure/probe_plan.hpp"
#include "measure/rounds.hpp"
#include "mpi_library.hpp"
#include "task.hpp"

namespace plait::measure {

/// The file into which a rank writes its results line by line. Each line is flushed, so that it
/// survives a crash.
class RankFile {
public:
  /// @param path  is created or truncated; if that fails, lines are lost, and plait reports a rank
  ///              without results; "-": standard output
  explicit RankFile(const std::string& path)
      : file_(path == "-" ? ::fdopen(::dup(STDOUT_FILENO), "w") : std::fopen(path.c_str(), "w")) {}
  ~RankFile() {
    if (file_ != nullptr) std::fclose(file_);
  }
  RankFile(const RankFile&) = delete;
  RankFile& operator=(const RankFile&) = delete;

  void line(const std::string& text) {
    if (file_ == nullptr) return;
    std::fputs((text + "\n").c_str(), file_);
    std::fflush(file_);
  }

private:
  std::FILE* file_;
};

/// A rank with its buffers. All ranks call the same functions in the same order.
class ProbeRank {
public:
  /// @param rank     in the order of the plan
  /// @param world    all ranks in that order
  /// @param allowed  hardware threads that the launcher left to this rank
  ProbeRank(const MpiLibrary& mpi, const ProbePlan& plan, int rank, MPI_Comm world,
            std::vector<int> allowed, RankFile& file);

  /// Takes part in a step, or sleeps until it is over. Collective.
  void run_step(std::size_t index);

private:
  /// The next work, which the leader sends to the other ranks of the step.
  struct Order {
    int cell = -1;  ///< index of the cell; -1: the step is over
    int repetitions = 0;
  };

  /// Carries out a cell, and determines how long its ranks waited for a CPU. Collective over the
  /// members of the step. @return on the leader: the result of the task
  Sample carry_out(Task& task, const Cell& cell, int repetitions, const TaskContext& context);
  void lead(std::size_t index, const TaskContext& context);
  void follow(const TaskContext& context);
  /// Sends known data in both directions and reports an error in the file of the rank if it is
  /// wrong.
  void check_data(const TaskContext& context);
  void sleep_until_all_are_here();

  const MpiLibrary& mpi_;
  const ProbePlan& plan_;
  RankFile& file_;
  int rank_;
  MPI_Comm world_;
  std::vector<int> allowed_;
  std::mt19937 random_;
  Pages send_;
  Pages receive_;
};

}  // namespace plait::measure
