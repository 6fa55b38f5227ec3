// SPDX-License-Identifier: BSD-3-Clause
// Writes and reads samples.times: when the samples of samples.json were taken.
//
// Little-endian: struct SampleTimesHeader, then `entries` of struct SampleTimesEntry. A file of its
// own, because samples.json has the size of the different stacks, and this one that of the run.
#pragma once

#include <cstdint>
#include <filesystem>

#include "samples/call_tree.hpp"

namespace plait::samples {

inline constexpr std::uint64_t kSampleTimesMagic = 0x31534d5454504c00ULL;
inline constexpr std::uint32_t kSampleTimesVersion = 1;

struct SampleTimesHeader {
  std::uint64_t magic = kSampleTimesMagic;
  std::uint32_t version = kSampleTimesVersion;
  std::uint32_t entry_bytes = 0;
  std::uint64_t entries = 0;
  /// Of samples.json, to which the entries refer.
  std::uint64_t nodes = 0, threads = 0, samples = 0;
};

struct SampleTimesEntry {
  std::uint64_t ticks;
  std::uint32_t node, thread;
  std::int32_t tid;
  std::uint32_t samples_and_state;  ///< state in the two highest bits
};

/// The file of a run directory: RUN/samples.times.
std::filesystem::path sample_times_file(const std::filesystem::path& run_dir);

/// Writes samples.json and, if the tree has times, samples.times.
/// @throws Error when a file cannot be written.
void write_samples(const CallTree& tree, const std::filesystem::path& run_dir);

/// Reads samples.json and, if it is there, samples.times.
/// @throws Error when samples.json is missing, or one of them is damaged or of another version, or
///         they do not belong together.
CallTree read_samples(const std::filesystem::path& run_dir);

}  // namespace plait::samples
