// SPDX-License-Identifier: BSD-3-Clause
// What a run used besides time: counters of events, memory, files; parts of profile.json.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/job.hpp"

namespace plait::machine {
struct MachineFile;
}

namespace plait::report {

/// An event that was counted, or why not.
struct CounterEventRow {
  std::string name;
  std::uint64_t threads = 0;   ///< for which it was counted
  std::uint64_t failures = 0;  ///< threads for which that was impossible
  std::string problem;         ///< why; empty: none
  bool user_only = false;      ///< without the kernel's part
  double counted = 1;  ///< fraction of the time in which it counted; the rest is extrapolated
  bool operator==(const CounterEventRow&) const = default;
};

/// Counts of a thread in a user region, without the regions in it. Those of events are in the order
/// of the events; nothing: not counted.
struct CounterRow {
  int rank = 0;
  int thread = -1;  ///< of OpenMP; -1: none, or unknown
  int tid = 0;
  std::string region;    ///< with those around it; empty: in none
  double outside_s = 0;  ///< between MPI calls
  double inside_s = 0;   ///< in MPI calls
  std::vector<std::optional<double>> outside;
  std::vector<std::optional<double>> inside;
  bool operator==(const CounterRow&) const = default;
};

/// Counts of all ranks and threads in a user region and those in it.
struct CounterRegionRow {
  std::string region;  ///< empty: the whole run
  int ranks = 0;
  double outside_s = 0;
  double inside_s = 0;
  std::vector<std::optional<double>> outside;
  std::vector<std::optional<double>> inside;
  bool operator==(const CounterRegionRow&) const = default;
};

/// A figure that follows from counters, beside its bound.
struct DerivedFigure {
  std::string id;      ///< "instructions_per_cycle", "memory_bandwidth", ...
  std::string region;  ///< empty: the whole run
  std::string name;    ///< for people, with where: "outside MPI"
  double value = 0;
  std::string unit;
  std::optional<double> bound;  ///< in the same unit; nothing: not known
  std::string bound_name;       ///< "STREAM triad, 8 threads"
  bool operator==(const DerivedFigure&) const = default;
};

struct Counters {
  std::vector<CounterEventRow> events;
  std::vector<CounterRegionRow> regions;  ///< the whole run first
  std::vector<CounterRow> threads;
  std::vector<DerivedFigure> derived;
  std::uint64_t left_out = 0;  ///< rows of `threads` beyond the limit
  std::uint64_t readings = 0;
  double reading_ns = 0;  ///< the time of a reading, the mean of the ranks
  double overhead = 0;    ///< of the threads' time
  bool operator==(const Counters&) const = default;
};

/// The counters of all ranks; empty if none were wanted.
/// @param machine  whose memory bandwidth is a bound; may be null
Counters counters_of(const Job& job, const machine::MachineFile* machine);

}  // namespace plait::report
