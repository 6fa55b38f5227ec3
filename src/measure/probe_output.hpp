// SPDX-License-Identifier: BSD-3-Clause
// The results of the ranks of the MPI probe. Each rank writes its own file line by line, so that
// results survive a hang or a crash.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace plait::measure {

/// Samples of one size in one step: microseconds per message, or GB/s for several pairs at once.
struct ProbeCell {
  std::size_t step = 0;  ///< index in the plan
  std::uint64_t bytes = 0;
  int variant = 0;  ///< variants.hpp
  std::vector<double> samples;
  int disturbed = 0;  ///< of the samples (rounds.hpp)
};

/// The results of all ranks.
struct ProbeOutput {
  std::string library;  ///< first line of MPI_Get_library_version
  std::vector<ProbeCell> cells;
  /// The result of the sentinel before a step, in nanoseconds.
  struct Sentinel {
    std::size_t step = 0;
    double ns = 0;
  };
  std::vector<Sentinel> sentinels;
  /// The place of a rank that was asked to report it.
  struct Place {
    std::string host;
    std::vector<std::array<int, 3>> pus;  ///< allowed ones: {PU, core, package} indices
  };
  std::vector<Place> places;
  std::map<std::string, std::string>
      variables;                      ///< of the MPI library, as the first rank reads them
  double init_s = 0;                  ///< of the rank whose MPI_Init took longest
  int skipped = 0;                    ///< cells for which there was no time
  double delay_s = 0;                 ///< time that ranks waited for a CPU
  double thread_s = 0;                ///< time of all ranks in steps
  int complete_ranks = 0;             ///< ranks that completed all steps
  std::vector<std::string> errors;    ///< errors that ranks reported
  std::vector<std::string> problems;  ///< lines that could not be read
};

/// A warning about the cells that were skipped; empty if there are none.
std::string skipped_warning(const ProbeOutput& output);

/// Adds the text of the file of one rank. Unreadable lines are listed in `problems`; the rest is
/// used. A last line without a newline is truncated and not used.
void add_probe_output(const std::string& text, ProbeOutput& output);

/// Reads `prefix`.0, `prefix`.1, ...; a missing file means that the rank wrote nothing.
ProbeOutput read_probe_output(const std::filesystem::path& prefix, std::size_t ranks);

}  // namespace plait::measure
