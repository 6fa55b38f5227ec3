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

/// A point of the roofline model (Williams, Waterman, Patterson 2009), from counts between MPI
/// calls.
struct RooflinePoint {
  int rank = -1;         ///< -1: a node, the mean of all
  std::string region;    ///< empty: the whole run
  double intensity = 0;  ///< floating-point operations per byte of memory traffic
  double gflops = 0;     ///< 1e9 operations per second
  bool operator==(const RooflinePoint&) const = default;
};

/// A memory bandwidth, which bounds the speed at each intensity.
struct RooflineBound {
  std::string name;  ///< "STREAM triad, 8 threads"
  double gbs = 0;
  bool operator==(const RooflineBound&) const = default;
};

/// A peak speed of the cores, which bounds the speed at any intensity.
struct RooflinePeak {
  std::string name;  ///< "AVX2, 8 cores"
  double gflops = 0;
  bool operator==(const RooflinePeak&) const = default;
};

struct Roofline {
  std::vector<RooflinePoint> points;  ///< regions of nodes, then ranks
  std::vector<RooflineBound> bounds;  ///< highest first
  std::vector<RooflinePeak> peaks;    ///< highest first
  std::string missing;                ///< one sentence on what was not measured; empty: nothing
  bool operator==(const Roofline&) const = default;
};

/// Energy of a part of a node, from MPI_Init to MPI_Finalize, by all programs.
struct EnergyRow {
  std::string host;
  std::string name;  ///< "package-0", "package-0/dram"
  double joules = 0;
  double watts = 0;  ///< the mean
  bool operator==(const EnergyRow&) const = default;
};

struct Counters {
  std::vector<CounterEventRow> events;
  std::vector<CounterRegionRow> regions;  ///< the whole run first
  std::vector<CounterRow> threads;
  std::vector<DerivedFigure> derived;
  std::uint64_t left_out = 0;  ///< rows of `threads` beyond the limit
  std::uint64_t readings = 0;
  double reading_ns = 0;          ///< the time of a reading, the mean of the ranks
  double overhead = 0;            ///< of the threads' time
  std::vector<EnergyRow> energy;  ///< also without events, where it can be read
  Roofline roofline;
  bool operator==(const Counters&) const = default;
};

/// The counters of all ranks; empty if none were wanted.
/// @param machine  whose memory bandwidth is a bound; may be null
Counters counters_of(const Job& job, const machine::MachineFile* machine);

/// The memory of a rank, in bytes, and its CPU time.
struct MemoryRankRow {
  int rank = 0;
  std::string host;
  std::uint64_t peak = 0;          ///< resident, from its start on
  std::uint64_t resident = 0;      ///< at the latest sample
  std::uint64_t anonymous = 0;     ///< of these, not of files or shared memory
  std::uint64_t shared = 0;        ///< of these, shared memory
  std::uint64_t minor_faults = 0;  ///< page faults from MPI_Init to MPI_Finalize
  std::uint64_t major_faults = 0;  ///< with a disk access
  double growth_per_s = 0;         ///< steady growth in the last two thirds; 0: none
  std::uint64_t allocations = 0;   ///< of the heap, if it was recorded
  std::uint64_t frees = 0;
  std::uint64_t allocated = 0;
  std::uint64_t heap_live = 0;
  std::uint64_t heap_peak = 0;
  /// CPU time of all threads in the program and in the kernel, from MPI_Init to MPI_Finalize;
  /// nothing: not recorded.
  std::optional<double> user_s, system_s;
  bool operator==(const MemoryRankRow&) const = default;
};

/// The memory of the ranks of a host.
struct MemoryHostRow {
  std::string host;
  int ranks = 0;
  std::uint64_t peak = 0;   ///< the sum of the ranks' peaks; shared memory once
  std::uint64_t limit = 0;  ///< that they have together
  std::string limit_name;   ///< "the node", "the control group"
  bool operator==(const MemoryHostRow&) const = default;
};

/// Resident bytes of a rank over time.
struct MemorySeries {
  int rank = 0;
  std::vector<std::array<double, 2>> points;  ///< seconds since MPI_Init, bytes
  bool operator==(const MemorySeries&) const = default;
};

struct Memory {
  bool heap = false;  ///< allocations were recorded
  std::vector<MemoryRankRow> ranks;
  std::vector<MemoryHostRow> hosts;
  std::vector<MemorySeries> series;
  std::uint64_t left_out = 0;  ///< ranks without a series, beyond the limit
  bool operator==(const Memory&) const = default;
};

/// The memory of all ranks.
Memory memory_of(const Job& job);

/// Calls of one kind.
struct IoSumsRow {
  std::uint64_t calls = 0;
  std::uint64_t failures = 0;
  std::uint64_t bytes = 0;
  double time_s = 0;  ///< summed over ranks
  double max_s = 0;   ///< the longest
  bool operator==(const IoSumsRow&) const = default;
};

/// A file, by one kind of caller, summed over ranks.
struct IoFileRow {
  std::string path;  ///< with the links and dots that the program gave; empty: many others
  std::string kind;  ///< "posix", "stdio", "in_mpi" (the MPI library itself), "mpi" (MPI-IO)
  int ranks = 0;
  int writers = 0;  ///< ranks that wrote
  IoSumsRow open, close, read, write, seek, sync, meta;
  std::vector<std::uint64_t>
      read_sizes;  ///< calls below 512 B, 4 KiB, 64 KiB, 1 MiB, 16 MiB, above
  std::vector<std::uint64_t> write_sizes;
  double time_s = 0;
  int slowest_rank = -1;  ///< with most time
  double slowest_s = 0;
  bool operator==(const IoFileRow&) const = default;
};

/// What a rank did with files.
struct IoRankRow {
  int rank = 0;
  double time_s = 0;  ///< in calls of the program
  std::uint64_t calls = 0;
  std::uint64_t read = 0;  ///< bytes in calls of the program
  std::uint64_t written = 0;
  std::uint64_t process_read = 0;  ///< bytes of read(2) and the like, also from pipes and sockets
  std::uint64_t process_written = 0;
  std::uint64_t disk_read = 0;  ///< from disks
  std::uint64_t disk_written = 0;
  bool operator==(const IoRankRow&) const = default;
};

/// Bytes that a rank's calls for files moved over time, without those that the MPI library makes.
struct IoSeries {
  int rank = 0;
  /// Seconds since MPI_Init, and bytes read and written since the point before; those of the first
  /// point were moved before it.
  std::vector<std::array<double, 3>> points;
  bool operator==(const IoSeries&) const = default;
};

struct Io {
  bool measured = false;  ///< calls for files were recorded
  std::vector<IoRankRow> ranks;
  std::vector<IoFileRow> files;      ///< most time first
  std::uint64_t left_out = 0;        ///< rows beyond the limit
  std::vector<IoSeries> series;      ///< empty: not recorded
  std::uint64_t without_series = 0;  ///< ranks beyond the limit
  bool operator==(const Io&) const = default;
};

/// Calls for files of all ranks.
Io io_of(const Job& job);

/// All calls for a file.
IoSumsRow all_calls(const IoFileRow& file);

}  // namespace plait::report
