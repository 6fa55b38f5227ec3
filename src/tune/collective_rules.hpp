// SPDX-License-Identifier: BSD-3-Clause
// Algorithms of collective operations by communicator and message size, as each library reads them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "launcher/launcher.hpp"

namespace plait::tune {

inline constexpr std::uint64_t kAllSizes = ~std::uint64_t{0};

/// An algorithm for calls of one operation.
struct CollectiveRule {
  std::string operation;               ///< "MPI_Allreduce"
  std::string variable;                ///< that sets its algorithm
  int ranks = 0;                       ///< of the communicator
  std::uint64_t from_bytes = 0;        ///< message size, as the operation's algorithm counts it
  std::uint64_t to_bytes = kAllSizes;  ///< first size beyond
  std::string algorithm;  ///< as the library calls it: a number (Open MPI, Intel MPI) or a name
  bool operator==(const CollectiveRule&) const = default;
};

/// Names Open MPI's file of dynamic rules.
inline constexpr const char* kRulesFileVariable = "OMPI_MCA_coll_tuned_dynamic_rules_filename";

/// Rules as environment variables, and files that these name.
struct WrittenRules {
  std::map<std::string, std::string> environment;
  std::map<std::string, std::string> files;  ///< as launcher::Plan::files
};

/// Writes rules for a library: Open MPI's file of dynamic rules, ranges in I_MPI_ADJUST_*, one
/// algorithm for all calls under MPICH.
WrittenRules written_rules(launcher::LauncherKind kind, const std::vector<CollectiveRule>& rules);

/// Open MPI's file of dynamic rules (coll_tuned_dynamic_rules_filename), version 1, which 4.1 and
/// 5.0 read. Other sizes of messages and communicators keep the library's own choice.
std::string openmpi_rules(std::vector<CollectiveRule> rules);

/// True if Plait can write rules for an operation by message size: the library counts bytes as the
/// profile does.
bool has_size_rules(launcher::LauncherKind kind, const std::string& operation);

}  // namespace plait::tune
