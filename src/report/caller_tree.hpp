// SPDX-License-Identifier: BSD-3-Clause
// The calls of each MPI function by their callers, as a tree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/profile.hpp"

namespace plait::report {

/// Calls that came through the same frames, divided by what called these.
struct CallerNode {
  /// Names of frames, innermost first, up to the one that several callers have in common. At the
  /// root the name of the MPI function.
  std::vector<std::string> frames;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  double time_s = 0;                ///< summed over ranks
  std::vector<CallerNode> callers;  ///< none, or several; longest time first
};

/// A tree for each MPI function except those that start or end MPI, longest time first.
std::vector<CallerNode> caller_tree(const Profile& profile);

/// The trees as in profile.json.
nlohmann::json caller_tree_to_json(const std::vector<CallerNode>& trees);

}  // namespace plait::report
