// SPDX-License-Identifier: BSD-3-Clause
// Reads the file of samples that a preloaded process wrote.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "trace/sample_format.h"

namespace plait::samples {

/// A stack: its innermost frame, and the stack around it.
struct RawNode {
  std::uint32_t parent = 0;  ///< index, smaller than its own; 0: the outermost frame
  int module = -1;           ///< index into RawTable::modules; -1: unknown
  /// ELF virtual address, within the call instruction if the frame calls another one; the line if
  /// the module is of Python.
  std::uint64_t offset = 0;
};

struct RawCount {
  std::uint32_t node = 0;
  std::uint32_t thread = 0;
  std::uint32_t region = 0;  ///< 1 + index of the record's regions; 0: none
  plait_sample_state state = PLAIT_SAMPLE_CODE;
  std::uint64_t samples = 0;
};

struct RawThread {
  int tid = 0;
  int omp_thread = -1;
  double cpu_s = 0;
  std::uint64_t samples = 0;
  std::uint64_t lost = 0;
  std::uint64_t truncated = 0;
  double spent_s = 0;         ///< in the signal handler
  std::uint64_t handled = 0;  ///< signals
};

/// Samples that one signal stands for.
struct RawTime {
  std::uint64_t ticks = 0;  ///< of the process' clock
  std::uint32_t count = 0;  ///< index into RawTable::counts
  std::uint32_t samples = 0;
};

/// The samples of one thread at a time.
struct RawTable {
  std::vector<RawNode> nodes;    ///< 0: none, PLAIT_NODE_TRUNCATED: unknown outer frames
  std::vector<RawCount> counts;  ///< nodes and threads exist
  std::vector<RawThread> threads;
  std::vector<std::string> modules;  ///< paths; "FUNCTION\nFILE" of Python; empty: unknown
  std::vector<RawTime> times;        ///< of samples in `counts`, in the order of the file
  std::uint32_t untimed = 0;         ///< signals for whose time there was no room
};

struct RawSamples {
  double rate_hz = 0;
  bool wall_clock = false;
  int pid = 0;
  std::uint64_t unsampled_threads = 0;
  std::vector<RawTable> tables;
};

/// Reads a file (*.smp). Its process may still run.
/// @param program  path of the process' program
/// @throws Error when it is not such a file, has another version, or is damaged.
RawSamples read_raw_samples(const std::filesystem::path& file, const std::string& program);

/// The file of samples beside a record.
std::filesystem::path raw_samples_file(const std::filesystem::path& record);

}  // namespace plait::samples
