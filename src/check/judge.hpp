// SPDX-License-Identifier: BSD-3-Clause
// Collects, symbolizes and merges the findings of a run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "check/finding.hpp"
#include "check/job.hpp"

namespace plait::check {

/// The result of plait check.
struct Verdict {
  std::vector<Finding> findings;
  std::vector<Finding> warnings;   ///< what depends on buffers or on the order of messages: the
                                   ///< program may be correct
  std::vector<std::string> notes;  ///< what could not be checked, and why
  int ranks = 0;
  std::uint64_t operations = 0;  ///< sends, receives and collective calls that were checked
};

/// Checks a job that has ended. Runs addr2line.
/// @param deadlock  found while the job ran; may be empty
Verdict judge(const Job& job, std::optional<Finding> deadlock);

/// Sets the frames of each place. Runs addr2line.
/// @param notes  receives a sentence about each module that could not be resolved
void name_places(const Job& job, std::vector<Finding>& findings, std::vector<std::string>& notes);

/// Merges findings of the same kind at the same places of the program and sorts them, the most
/// serious first. Places without frames are equal if process and site are. Leaks are merged if the
/// innermost frames are equal, and then have a place for each call path.
std::vector<Finding> merged(std::vector<Finding> findings);

}  // namespace plait::check
