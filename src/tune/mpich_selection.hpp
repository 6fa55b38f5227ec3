// SPDX-License-Identifier: BSD-3-Clause
// The tree by which MPICH selects algorithms of collective operations, as JSON that it reads
// (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tune/collective_rules.hpp"

namespace plait::tune {

inline constexpr const char* kMpichTreeVariable = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE";

/// The tree that is built into an MPICH library: its file contains the text.
/// @return nothing if it does not
std::optional<std::string> built_in_tree(const std::filesystem::path& library);

/// The tree with rules in it. Other sizes of messages and communicators keep the built-in choice.
/// A tree must be complete: MPICH ends a program if it finds no algorithm.
/// @param tree   a built-in one
/// @param rules  sorted by operation, ranks and bytes
/// @throws Error when the tree cannot be read, or has no such operation.
std::string with_rules(const std::string& tree, const std::vector<CollectiveRule>& rules);

}  // namespace plait::tune
