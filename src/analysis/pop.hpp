// SPDX-License-Identifier: BSD-3-Clause
// POP's efficiencies of a run, in both hybrid definitions, from a replay and from wait states.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/wait_states.hpp"
#include "replay/replay.hpp"

namespace plait::analysis {

/// One set of POP efficiencies by a named definition; each in [0, 1] unless the definition lets it
/// exceed 1. Absent: not defined here (no OpenMP, no replay). docs/analysis.md has the formulas.
struct PopSet {
  std::string definition;  ///< "multiplicative, replay", "additive, wait states", ...
  double time_s = 0;
  std::optional<double> ideal_s;  ///< runtime on an ideal network, by this definition
  /// Of all threads; without OpenMP that of the processes.
  std::optional<double> parallel;
  /// Of the processes, for which time outside MPI is useful (the MPI view).
  std::optional<double> mpi_parallel, load_balance, communication, serialization, transfer;
  /// Of the threads: all where OpenMP was seen; load balance and communication in multiplicative
  /// sets, serial code and regions in additive ones.
  std::optional<double> openmp_parallel, openmp_load_balance, openmp_communication;
  std::optional<double> openmp_serial, openmp_region;
};

/// What one rank did in a window of time, seconds.
struct RankUse {
  double useful_s = 0;            ///< outside MPI, of the thread that is longest inside it
  double waiting_s = 0;           ///< in wait states of that thread
  std::vector<double> threads_s;  ///< useful time of each OpenMP thread; empty: no OpenMP was seen
  double serial_s = 0;            ///< outside MPI and parallel regions, of the main thread
};

/// All ranks that have events, from `begin` to `end` (ns); threads only for the whole run.
std::vector<RankUse> rank_use(const trace::Trace& trace, const Lanes& lanes, const Waits& waits);
std::vector<RankUse> rank_use(const Lanes& lanes, const Waits& waits, std::int64_t begin,
                              std::int64_t end);

/// POP's multiplicative model: parallel = load balance x communication, communication =
/// serialization x transfer; threads beside.
/// @param ideal_s  runtime on an ideal network; empty: serialization and transfer are not told
PopSet multiplicative(const std::vector<RankUse>& ranks, double time_s,
                      std::optional<double> ideal_s);
/// POP's additive model: losses as fractions of the runtime, so that parallel = process + thread
/// efficiency - 1, process = load balance + communication - 1, communication = serialization +
/// transfer - 1.
PopSet additive(const std::vector<RankUse>& ranks, double time_s, std::optional<double> ideal_s);

/// Longest time of a rank that neither transfers nor runs MPI's code: computation and wait states
/// (Cube's and Scalasca's ideal runtime).
double ideal_by_waits(const std::vector<RankUse>& ranks);

/// Multiplicative, by wait states, of a window of the run (ns).
PopSet efficiencies_of_window(const Lanes& lanes, const Waits& waits, std::int64_t begin,
                              std::int64_t end);

}  // namespace plait::analysis
