// SPDX-License-Identifier: BSD-3-Clause
// The settings that can matter to a program, by what its profile shows.
#pragma once

#include <string>
#include <vector>

#include "launcher/plan.hpp"
#include "report/profile.hpp"
#include "tune/collective_rules.hpp"
#include "tune/registry.hpp"

namespace plait::tune {

/// Settings to try.
struct Candidate {
  std::string group;   ///< candidates of a group exclude each other: "eager limit"
  std::string name;    ///< "eager limit 16 KiB", "MPI_Bcast on 4 ranks: chain"
  std::string reason;  ///< one line: what in the profile supports it
  double share = 0;    ///< of the ranks' time that it can change
  Settings settings;
  std::vector<CollectiveRule> rules;
};

struct CandidateList {
  std::vector<Candidate> candidates;  ///< most promising first
  std::vector<std::string> left_out;  ///< sentences: what is not tried and why
};

/// The candidates for a run; only values that the registry knows to be legal.
/// @param cpus       on which the ranks of a node may run
/// @param least_gain  candidates that can change a smaller share of the time are left out
CandidateList candidates_of(const report::Profile& profile, const Registry& registry, int cpus,
                            double least_gain);

/// The settings of some candidates together, as a plan without a name.
launcher::Plan plan_of(const Registry& registry, const std::vector<const Candidate*>& together);

}  // namespace plait::tune
