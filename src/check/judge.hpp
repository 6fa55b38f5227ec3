// SPDX-License-Identifier: BSD-3-Clause
// All findings of a run, named and merged.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "check/finding.hpp"
#include "check/job.hpp"

namespace plait::check {

struct Verdict {
  std::vector<Finding> findings;
  std::vector<std::string> notes;  ///< what could not be looked at, and why
  int ranks = 0;
  std::uint64_t operations = 0;  ///< sends, receives and collective calls that were looked at
};

/// Judges a job that has ended. `deadlock`: what was found while it ran.
Verdict judge(const Job& job, std::optional<Finding> deadlock);

/// Gives each place its frames. Notes get what cannot be named.
void name_places(const Job& job, std::vector<Finding>& findings, std::vector<std::string>& notes);

/// Joins findings of one kind whose calls lie at the same places of the program, those that matter
/// most first. Without frames, the sites of one rank are its places.
std::vector<Finding> merged(std::vector<Finding> findings);

}  // namespace plait::check
