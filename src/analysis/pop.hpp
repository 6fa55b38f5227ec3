// SPDX-License-Identifier: BSD-3-Clause
// POP efficiencies of a run in both hybrid definitions, from a replay and from wait states.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/wait_states.hpp"
#include "replay/replay.hpp"

namespace plait::analysis {

/// A set of POP efficiencies by one definition. Values are in [0, 1] unless the definition allows
/// more; absent values are not defined (no OpenMP, no replay). docs/explanation/trace-analysis.md
/// has the formulas.
struct PopSet {
  std::string definition;    ///< "multiplicative, replay", "additive, wait states", ...
  bool recommended = false;  ///< the set to read first; the others are for comparison with tools
  double time_s = 0;
  std::optional<double> ideal_s;  ///< run time on an ideal network, by this definition
  /// Of all threads; without OpenMP, of the processes.
  std::optional<double> parallel;
  /// Of the processes: run time without waiting for a CPU / run time. A factor beside POP's.
  std::optional<double> cpu;
  /// Of the processes; all time outside MPI counts as useful (the MPI view).
  std::optional<double> mpi_parallel, load_balance, communication, serialization, transfer;
  /// Of the threads, if OpenMP was recorded: load balance and communication in multiplicative sets,
  /// serial code and regions in additive ones.
  std::optional<double> openmp_parallel, openmp_load_balance, openmp_communication;
  std::optional<double> openmp_serial, openmp_region;
};

/// How one rank spent a window of time, s.
struct RankUse {
  double useful_s = 0;            ///< outside MPI, of the thread with the most time in MPI
  double waiting_s = 0;           ///< in wait states of that thread
  std::vector<double> threads_s;  ///< useful time of each OpenMP thread; empty: no OpenMP
  double serial_s = 0;            ///< outside MPI and parallel regions, of the main thread
  double stalled_s = 0;           ///< without a CPU, also inside MPI
};

/// For exchanges between processes; see BytesWriter.
template <class Archive>
void fields(Archive& archive, RankUse& of) {
  archive(of.useful_s, of.waiting_s, of.threads_s, of.serial_s, of.stalled_s);
}

/// Collective. The use of time by all ranks with events, for the whole run or from `begin` to `end`
/// (ns); threads only for the whole run.
/// @param threads  that work at most; 0: as many as there are usable CPUs. The result is the same.
/// @param processes  that share the work and all get the result; null: this one alone
std::vector<RankUse> rank_use(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                              unsigned threads = 0, Processes* processes = nullptr);
std::vector<RankUse> rank_use(const Lanes& lanes, const Waits& waits, std::int64_t begin,
                              std::int64_t end, unsigned threads = 0,
                              Processes* processes = nullptr);

/// POP's multiplicative model: parallel = load balance x communication, communication =
/// serialization x transfer; threads separately.
/// With waiting for a CPU, parallel = cpu x load balance x communication.
/// @param ideal_s  run time on an ideal network; empty: no serialization and transfer
/// @param lost_s   run time lost because ranks waited for a CPU
PopSet multiplicative(const std::vector<RankUse>& ranks, double time_s,
                      std::optional<double> ideal_s, double lost_s = 0);
/// POP's additive model: losses as fractions of the run time, so that parallel = process + thread
/// efficiency - 1, process = load balance + communication - 1, communication = serialization +
/// transfer - 1.
PopSet additive(const std::vector<RankUse>& ranks, double time_s, std::optional<double> ideal_s,
                double lost_s = 0);

/// The ideal run time by wait states, as in Cube and Scalasca: the longest sum of computation and
/// wait states of a rank, s.
double ideal_by_waits(const std::vector<RankUse>& ranks);

/// Collective. Multiplicative efficiencies by wait states for a window of the run (ns).
/// @param threads, processes  as of rank_use()
PopSet efficiencies_of_window(const Lanes& lanes, const Waits& waits, std::int64_t begin,
                              std::int64_t end, unsigned threads = 0,
                              Processes* processes = nullptr);

}  // namespace plait::analysis
