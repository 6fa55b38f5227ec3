// SPDX-License-Identifier: BSD-3-Clause
// What a process used besides time: counters of events, memory, files, energy.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/record_format.h"

namespace plait::trace {

class RecordBytes;

/// A counter of perf_event_open(2).
struct Counter {
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t threads = 0;   ///< for which it was opened
  std::uint64_t failures = 0;  ///< threads for which it could not be opened
  int error = 0;               ///< errno of the first failure
  bool user_only = false;      ///< without the kernel's part
};

/// What a counter counted of one thing; `value` is what it counted in the time that it counted.
struct CounterValue {
  double value = 0;
  double enabled_s = 0;
  double running_s = 0;
};

/// Counters of a thread in one user region, without the regions in it, from Init on.
struct CounterSums {
  int tid = 0;
  int omp_thread = -1;
  int region = -1;  ///< index into RankRecord::regions, -1: in none
  std::uint64_t readings = 0;
  double outside_s = 0;               ///< the thread's time outside of MPI
  double inside_s = 0;                ///< and inside
  std::vector<CounterValue> outside;  ///< by counter
  std::vector<CounterValue> inside;
};

/// What the counters of a thread had counted at a moment, from Init on.
struct CounterReading {
  std::uint64_t ticks = 0;
  std::uint32_t thread = 0;  ///< number of the thread's counters, which a later one may continue
  std::uint32_t first = 0;   ///< index into RankRecord::counter_totals: by counter outside of MPI,
                             ///< then inside
  double outside_s = 0;
  double inside_s = 0;
};

/// The heap of a process, in bytes.
struct Heap {
  std::uint64_t allocations = 0;
  std::uint64_t frees = 0;
  std::uint64_t allocated = 0;
  std::uint64_t live = 0;
  std::uint64_t peak = 0;
  double peak_at_s = 0;  ///< since load
};

/// CPU time of all threads of a process, from Init to the latest sample.
struct CpuTimes {
  double user_s = 0;    ///< in the program
  double system_s = 0;  ///< in the kernel
};

/// The memory of a process, in bytes; figures are those of the latest sample.
struct ProcessMemory {
  std::uint64_t peak = 0;  ///< resident
  std::uint64_t resident = 0;
  std::uint64_t anonymous = 0;  ///< not of files or shared memory
  std::uint64_t shared = 0;
  std::uint64_t node = 0;          ///< memory of its node
  std::uint64_t limit = 0;         ///< the smallest of its control groups; 0: none
  std::uint64_t minor_faults = 0;  ///< since Init
  std::uint64_t major_faults = 0;  ///< with a disk access
  std::uint64_t read_chars = 0;    ///< by read(2) and the like, since Init, also from pipes
  std::uint64_t write_chars = 0;
  std::uint64_t read_bytes = 0;  ///< from disks
  std::uint64_t write_bytes = 0;
  bool has_heap = false;
  Heap heap;
  std::optional<CpuTimes> cpu;  ///< nothing: a record of an earlier version
};

struct MemorySample {
  double at_s = 0;  ///< since load
  std::uint64_t resident = 0;
  std::uint64_t shared = 0;
  std::uint64_t read = 0;  ///< bytes by calls of the program for files until then
  std::uint64_t written = 0;
};

struct IoSums {
  std::uint64_t calls = 0;
  std::uint64_t failures = 0;
  std::uint64_t bytes = 0;
  double time_s = 0;
  double max_s = 0;
};

/// What a process did with a file, by one kind of caller.
struct FileUse {
  std::string path;  ///< as the program gave it, absolute; empty: files without room
  plait_file_kind kind = PLAIT_FILE_POSIX;
  double first_s = 0;  ///< since load
  double last_s = 0;
  std::array<IoSums, PLAIT_IO_OPERATIONS> operations;
  std::array<std::uint64_t, PLAIT_IO_SIZES> reads{};  ///< by size; see PLAIT_IO_SIZES
  std::array<std::uint64_t, PLAIT_IO_SIZES> writes{};
};

/// Energy that a part of the node used, since Init.
struct EnergyUse {
  std::string name;
  double joules = 0;
};

struct RankRecord;

/// Reads these tables of a record whose regions are read already.
/// @throws plait::Error when they are damaged.
void read_resources(RecordBytes& in, RankRecord& out);

}  // namespace plait::trace
