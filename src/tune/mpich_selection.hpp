// SPDX-License-Identifier: BSD-3-Clause
// The trees by which MPICH selects algorithms of collective operations, as JSON that it reads.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tune/collective_rules.hpp"

namespace plait::tune {

/// Names the file of MpichTrees::algorithms.
inline constexpr const char* kMpichTreeVariable = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE";
/// Names the file of MpichTrees::compositions.
inline constexpr const char* kMpichCompositionVariable =
    "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE";

/// The trees that are built into an MPICH library: its file contains the text.
MpichTrees built_in_trees(const std::filesystem::path& library);

/// The tree of algorithms with rules in it. Other sizes of messages and communicators keep the
/// built-in choice. A tree must be complete: MPICH ends a program if it finds no algorithm.
/// @param tree   a built-in one
/// @param rules  sorted by operation, ranks and bytes
/// @throws Error when the tree cannot be read, or has no such operation.
std::string with_rules(const std::string& tree, const std::vector<CollectiveRule>& rules);

/// The tree of compositions in which calls with a rule are not divided into a part between nodes
/// and one inside each node, which has algorithms of its own. So the rule's algorithm runs.
/// @param tree, rules  as with_rules() takes them
/// @return empty if no rule needs it
/// @throws Error as with_rules().
std::string undivided(const std::string& tree, const std::vector<CollectiveRule>& rules);

}  // namespace plait::tune
