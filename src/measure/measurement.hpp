// SPDX-License-Identifier: BSD-3-Clause
// The state of a measurement of one node, and its parts.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "machine/machine_file.hpp"
#include "measure/measure.hpp"
#include "measure/mpi_part.hpp"
#include "measure/path_jobs.hpp"
#include "measure/rounds.hpp"
#include "measure/sentinel.hpp"
#include "measure/team.hpp"
#include "text/progress.hpp"

namespace plait::measure {

/// The data that the parts share. Each part adds its figures to `result`.
class Measurement {
public:
  /// @param mpi  the MPI to measure; empty: none
  Measurement(const MeasureRequest& request, const machine::Topology& topology,
              std::vector<int> cores, std::optional<MpiChoice> mpi);

  void memory();  ///< measures STREAM and P(k)
  void openmp();  ///< measures the cost of OpenMP constructs, if there are two cores
  void bare();    ///< measures cache lines and memcpy between cores
  void mpi();     ///< measures the same paths with MPI; a failure becomes a warning
  /// Checks the figures (machine/figure_checks.hpp), measures unusable ones again in the time that
  /// is left, and takes those that are better.
  void repeat_unusable();

  machine::Measured result;
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
  std::vector<SentinelSample> sentinels;
  Disturbance disturbance;
  int uncertain = 0;  ///< figures whose interval is wider than relative_width()
  int figures = 0;

  /// True when there are no two hardware threads that could exchange data.
  [[nodiscard]] bool no_paths() const { return jobs_.empty(); }
  [[nodiscard]] double elapsed_s() const;
  /// The relative width of the interval at which the repetition of a figure ends.
  [[nodiscard]] double relative_width() const { return request_.quick ? 0.10 : 0.05; }

private:
  /// Starts a part: shows the progress, and takes a sample of the sentinel first.
  void begin_part(const std::string& name);
  /// Seconds for a piece that gets `share` of `shares_left` of the time until `end_s`.
  [[nodiscard]] double slice_s(double end_s, double share, double shares_left) const;
  [[nodiscard]] RoundsPlan rounds(double seconds) const;
  void count(const machine::Statistic& figure);
  void memory_on(int cores, double seconds);
  /// True if a core has several hardware threads that may be used.
  [[nodiscard]] bool has_hardware_threads() const;
  void hardware_threads(double seconds);
  /// Measures the jobs that are wanted until `end_s`.
  void bare_jobs(const std::vector<bool>& wanted, double end_s);
  /// Runs these steps for `seconds`; the launcher is killed after `limit_s`.
  void run_steps(const MpiPlan& plan, double limit_s);
  [[nodiscard]] MpiPlan whole_plan(double seconds) const;
  /// Measures MPI_Init with 1 to all ranks, each on one of the hardware threads.
  void mpi_init(const std::vector<int>& pus, double seconds);
  void bare_pair(std::size_t job, const machine::CorePair& pair, double seconds);
  void bare_together(std::size_t job, double seconds);
  void take_mpi(const MpiPlan& plan, const ProbeOutput& output);

  const MeasureRequest& request_;
  machine::Topology topology_;  ///< only the measured cores are allowed
  std::vector<int> cores_;
  double begin_s_;
  double budget_s_;  ///< of memory(), bare() and mpi(); the rest is for repetitions
  double whole_s_;   ///< the whole budget
  std::optional<MpiChoice> mpi_;
  Progress progress_;
  std::mt19937 random_;
  Team first_core_;  ///< runs the sentinel
  std::vector<PathJob> jobs_;
};

}  // namespace plait::measure
