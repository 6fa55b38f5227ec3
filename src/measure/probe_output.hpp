// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of the MPI probe found: each writes a file of its own, line by line, so that what
// was measured survives a hang or a crash.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace plait::measure {

/// Samples of one size in one step: microseconds of one message, or GB/s for several pairs at once.
struct ProbeCell {
  std::size_t step = 0;  ///< index in the plan
  std::uint64_t bytes = 0;
  int variant = 0;  ///< variants.hpp
  std::vector<double> samples;
};

/// What all ranks wrote.
struct ProbeOutput {
  std::string library;  ///< what MPI_Get_library_version says, first line
  std::vector<ProbeCell> cells;
  /// The sentinel's nanoseconds before each step.
  struct Sentinel {
    std::size_t step = 0;
    double ns = 0;
  };
  std::vector<Sentinel> sentinels;
  /// Where a rank runs that was asked for it.
  struct Place {
    std::string host;
    std::vector<std::array<int, 3>> pus;  ///< allowed: number, core, package as the system has them
  };
  std::vector<Place> places;
  double delay_s = 0;               ///< ranks were runnable, but something else ran on their cores
  double thread_s = 0;              ///< time of all ranks in steps
  int complete_ranks = 0;           ///< ranks that went through all steps
  std::vector<std::string> errors;  ///< what ranks complained of
  std::vector<std::string> problems;  ///< lines that could not be read
};

/// Adds the text of one rank's file. Lines that cannot be read are named in `problems`; the rest is
/// used. A last line without its newline was cut off and is not used.
void add_probe_output(const std::string& text, ProbeOutput& output);

/// Reads `prefix`.0, `prefix`.1, ...; a missing file is a rank that wrote nothing.
ProbeOutput read_probe_output(const std::filesystem::path& prefix, std::size_t ranks);

}  // namespace plait::measure
