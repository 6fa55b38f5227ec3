// SPDX-License-Identifier: BSD-3-Clause
// The samples of a run as a call tree with counts per thread, as in samples.json.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace plait::samples {

inline constexpr const char* kSamplesSchema = "plait-samples";
inline constexpr int kSamplesVersion = 1;

/// Bounds of what files may say. Beyond them they are damaged, and times do not fit into formats of
/// other tools, which count nanoseconds in 64 bits.
inline constexpr double kLeastRateHz = 1e-3, kMostRateHz = 1e9, kMostSeconds = 1e9;

inline bool is_possible_rate(double rate_hz) {
  return rate_hz >= kLeastRateHz && rate_hz <= kMostRateHz;
}

/// @param samples  of one node and thread
inline bool is_possible_time(std::uint64_t samples, double rate_hz) {
  return static_cast<double>(samples) / rate_hz <= kMostSeconds;
}

/// What a thread did when it was sampled; index into kStateNames.
enum class State : int { code = 0, mpi = 1, openmp = 2, waiting = 3 };

/// openmp: idle in the OpenMP runtime; waiting: for a CPU (only with the wall clock).
inline constexpr std::array<const char*, 4> kStateNames{"code", "mpi", "openmp", "waiting"};

/// A thread that was sampled.
struct SampledThread {
  int rank = 0;      ///< world rank; -1: not under MPI
  int thread = 0;    ///< 0: main; n: OpenMP thread n; others: numbers behind those, by their begin
  std::string kind;  ///< "main", "openmp", "other"
  std::uint64_t samples = 0;
  std::uint64_t lost = 0;       ///< that were due, but had no room
  std::uint64_t truncated = 0;  ///< whose stack could not be followed to its end
  double cpu_s = 0;             ///< CPU time of the thread while it was sampled
  bool operator==(const SampledThread&) const = default;
};

/// A function of the program, of a library, or of Python.
struct Function {
  std::string name;        ///< with parameters: "assemble(Mesh&)"
  std::string short_name;  ///< "assemble"
  std::string file;        ///< path of its source; empty: unknown
  int line = 0;            ///< where it begins, or its first line with a sample; 0: unknown
  std::string module;      ///< path of its ELF file; empty: Python
  std::string kind;        ///< "code", "mpi", "openmp", "python", "system"
  bool operator==(const Function&) const = default;
};

/// A place in the call tree: a line of a function, called from the line of its parent.
struct CallNode {
  int parent = -1;        ///< index of a node before this one; -1: none
  int function = 0;       ///< index into CallTree::functions
  int line = 0;           ///< of the sample, or of the call of its children; 0: unknown
  bool inlined = false;   ///< into its parent
  bool parallel = false;  ///< in an OpenMP region
  bool operator==(const CallNode&) const = default;
};

/// Samples that were taken in a node itself, not in what it calls.
struct NodeCount {
  int node = 0;
  int thread = 0;  ///< index into CallTree::threads
  State state = State::code;
  std::uint64_t samples = 0;
  bool operator==(const NodeCount&) const = default;
};

/// The same, by the innermost region that was open.
struct RegionCount {
  int node = 0;
  int thread = 0;
  int region = 0;  ///< index into CallTree::region_names
  std::uint64_t samples = 0;
  bool operator==(const RegionCount&) const = default;
};

/// A phase of the run, which its trace shows; s since the begin of the run.
struct SampledPhase {
  std::string name;  ///< "iterations 1"
  double begin_s = 0;
  double end_s = 0;
  bool operator==(const SampledPhase&) const = default;
};

/// Samples in a node itself that were taken in a phase.
struct PhaseCount {
  int node = 0;
  int thread = 0;
  State state = State::code;
  int phase = 0;  ///< index into CallTree::phases
  std::uint64_t samples = 0;
  bool operator==(const PhaseCount&) const = default;
};

/// Samples of one stack that one signal stands for.
struct SampleTime {
  std::uint64_t ticks = 0;  ///< of the clock of the thread's process
  int node = 0;
  int thread = 0;  ///< index into CallTree::threads
  int tid = 0;
  State state = State::code;
  std::uint32_t samples = 1;
  bool operator==(const SampleTime&) const = default;
};

/// All samples of a run. One sample is worth 1 / rate_hz seconds of its thread's clock.
struct CallTree {
  double rate_hz = 0;           ///< of each thread's samples
  std::string clock = "cpu";    ///< "cpu" or "wall"
  double sample_us = 0;         ///< cost of a sample, mean
  double overhead_percent = 0;  ///< of the threads' CPU time
  std::vector<SampledThread> threads;
  std::vector<Function> functions;
  std::vector<CallNode> nodes;  ///< parents before children
  std::vector<NodeCount> counts;
  std::vector<std::string> region_names;
  std::vector<RegionCount> region_counts;
  std::vector<SampledPhase> phases;      ///< ascending; empty: no trace, or samples without times
  std::vector<PhaseCount> phase_counts;  ///< of the samples with times
  std::vector<SampleTime> times;         ///< not in samples.json, but in samples.times
  std::vector<std::string> notes;        ///< one sentence each: what limits the figures
  bool operator==(const CallTree&) const = default;
};

/// The tree as the JSON of schema "plait-samples", version 1.
nlohmann::json to_json(const CallTree& tree);

/// @param name  of the value in error messages (a path)
/// @throws Error when a field is missing or of another type, or an index is out of range.
CallTree call_tree_from_json(const nlohmann::json& value, const std::string& name);

/// Reads a samples.json.
/// @throws Error when it is missing, damaged or of another version.
CallTree read_call_tree(const std::filesystem::path& file);

/// The file of a run directory: RUN/samples.json.
std::filesystem::path call_tree_file(const std::filesystem::path& run_dir);

}  // namespace plait::samples
