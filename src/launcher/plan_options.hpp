// SPDX-License-Identifier: BSD-3-Clause
// Turns the places of a plan into launcher options and the files that go with them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "launcher/plan.hpp"

namespace plait::launcher {

/// Options and files that put ranks in their places.
struct PlacementOptions {
  std::vector<std::string> options;
  std::map<std::string, std::string> environment;
  std::map<std::string, std::string> files;  ///< name -> content
  std::vector<std::string> drop;             ///< the user's options that contradict
  bool binder = false;                       ///< ranks bind themselves, by the file "places"
  std::vector<std::string> notes;
};

/// What the user's command already decides.
struct SaidBefore {
  std::size_t programs = 1;  ///< separated by ":"
  bool hosts = false;        ///< on which hosts ranks run
  bool binding = false;      ///< how ranks are bound
};

/// @param plan    with places
/// @param folder  where the files will be
PlacementOptions placement_options(const Plan& plan, const Launcher& launcher,
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

/// True if all ranks are on this node. A node without a name is this one.
bool only_here(const Plan& plan);

/// True if the plan binds any rank.
bool is_bound(const Plan& plan);

/// True if the ranks of each node have consecutive numbers.
bool ranks_adjacent(const Plan& plan);

/// True if two ranks share a hardware thread of a node.
bool ranks_overlap(const Plan& plan);

/// True if somewhere more threads than hardware threads share a place, so that a rank that waits
/// must let others run.
bool crowded(const Plan& plan);

/// Where the first, second ... rank of a node is bound, if that is the same on all nodes: the list
/// that hydra and srun take. Empty when nodes differ or a rank is not bound.
std::vector<machine::CpuSet> list_for_all_nodes(const Plan& plan);

/// Masks for I_MPI_PIN_DOMAIN and srun: "0x3,0xc".
std::string masks_text(const std::vector<machine::CpuSet>& list);

/// The name of a node in a file of hosts: localhost for a node without a name.
std::string name_of(const std::string& node);

/// A file of hosts with one line per rank: the name of its node, followed by `suffix`.
std::string one_line_per_rank(const Plan& plan, const char* suffix);

/// A file of hosts with one line per node: NAME:RANKS.
std::string one_line_per_node(const Plan& plan);

}  // namespace plait::launcher
