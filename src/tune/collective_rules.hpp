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
  int requests = 0;       ///< most at a time, of Open MPI's rules version 2; 0: all
  std::uint64_t segment_bytes = 0;  ///< of the parts of a message, for Open MPI; 0: undivided
  bool operator==(const CollectiveRule&) const = default;
};

/// Names Open MPI's file of dynamic rules.
inline constexpr const char* kRulesFileVariable = "OMPI_MCA_coll_tuned_dynamic_rules_filename";

/// Names ROMIO's file of hints.
inline constexpr const char* kHintsVariable = "ROMIO_HINTS";

/// The trees by which MPICH selects algorithms; empty: of another library, or unknown.
struct MpichTrees {
  std::string algorithms;
  std::string compositions;  ///< which parts of an operation have an algorithm of their own
};

/// Rules as environment variables, and files that these name.
struct WrittenRules {
  std::map<std::string, std::string> environment;
  std::map<std::string, std::string> files;  ///< as launcher::Plan::files
};

/// Writes rules for a library: Open MPI's file of dynamic rules, ranges in I_MPI_ADJUST_*, MPICH's
/// JSON. Intel MPI distinguishes communicators or message sizes, not both: if an operation has
/// rules by size, those of its largest communicator apply to all.
/// @param mpich_trees  built_in_trees() of the library; without them, MPICH has one algorithm for
/// all
///                     calls of an operation
WrittenRules written_rules(const launcher::Launcher& launcher,
                           const std::vector<CollectiveRule>& rules,
                           const MpichTrees& mpich_trees = {});

/// Open MPI's file of dynamic rules (coll_tuned_dynamic_rules_filename). Other sizes of messages
/// and communicators keep the library's own choice.
/// @param version  of the format: 1, which all versions read, or 2, which Open MPI 5.0.7 and newer
///                 ones read too, with the most requests at a time of each rule
std::string openmpi_rules(std::vector<CollectiveRule> rules, int version = 1);

/// True if a library reads rules version 2, which limit the requests at a time.
bool has_most_requests(const launcher::Launcher& launcher);

/// True if Plait can write rules for an operation by message size: the library counts bytes as the
/// profile does.
/// @param one_communicator_size  the program calls it on communicators of one size
/// @param mpich_trees            as written_rules() takes them
bool has_size_rules(launcher::LauncherKind kind, const std::string& operation,
                    bool one_communicator_size, const MpichTrees& mpich_trees = {});

}  // namespace plait::tune
