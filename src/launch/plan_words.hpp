// SPDX-License-Identifier: BSD-3-Clause
// The places of a plan in the words of each launcher.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "launch/plan.hpp"

namespace plait::launch {

/// What puts ranks to their places.
struct PlacementWords {
  std::vector<std::string> options;
  std::map<std::string, std::string> environment;
  std::map<std::string, std::string> files;  ///< name -> content
  std::vector<std::string> drop;             ///< the user's options that contradict
  bool binder = false;                       ///< ranks bind themselves, by the file "places"
  std::vector<std::string> notes;
};

/// What a user's command says already.
struct SaidBefore {
  bool hosts = false;    ///< on which hosts
  bool binding = false;  ///< how ranks are bound
};

/// @param plan    with places
/// @param folder  where the files will lie
PlacementWords placement_words(const Plan& plan, const Launcher& launcher,
                               const std::filesystem::path& folder, const SaidBefore& said);

/// A node of a plan and how many ranks it has.
struct PlanNode {
  std::string name;
  int ranks = 0;
};

/// The nodes of a plan in the order of their first ranks.
std::vector<PlanNode> nodes_of(const Plan& plan);

/// The index into nodes_of() of each rank's node.
std::vector<int> node_of_rank(const Plan& plan);

/// All ranks are on this node, or on the only one there is, without a name.
bool only_here(const Plan& plan);

}  // namespace plait::launch
