// SPDX-License-Identifier: BSD-3-Clause
// The settings that can matter to a program, by what its profile shows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launcher/plan.hpp"
#include "report/profile.hpp"
#include "tune/collective_rules.hpp"
#include "tune/guidelines.hpp"
#include "tune/message_use.hpp"
#include "tune/probe_messages.hpp"
#include "tune/registry.hpp"

namespace plait::tune {

/// Settings to try.
struct Candidate {
  std::string group;   ///< candidates of a group exclude each other: "eager limit"
  std::string name;    ///< "eager limit 16 KiB", "MPI_Bcast on 4 ranks: chain"
  std::string reason;  ///< one line: what in the profile supports it
  double share = 0;    ///< of the ranks' time that it can change
  double promise = 0;  ///< by which factor a guideline promises faster calls; 0: none
  Settings settings = {};
  std::vector<CollectiveRule> rules = {};
  std::string wait = {}, transport = {};          ///< as launcher::Plan
  std::map<std::string, std::string> files = {};  ///< as launcher::Plan
  std::vector<ProbeMessage> probe = {};  ///< of which it changes the time; empty: of others too
  double probe_share = 0;                ///< of the ranks' time that these messages take
};

struct CandidateList {
  std::vector<Candidate> candidates;  ///< most promising first
  std::vector<std::string> left_out;  ///< sentences: what is not tried and why
};

/// The candidates for a run; only values that the registry knows to be legal.
/// @param cpus       on which the ranks of a node may run
/// @param least_gain  candidates that can change a smaller share of the time are left out
/// @param violations  of performance guidelines on this machine; their operations come first
CandidateList candidates_of(const report::Profile& profile, const Registry& registry, int cpus,
                            double least_gain, const std::vector<Violation>& violations = {});

/// The candidates for these messages.
CandidateList candidates_of(const MessageUse& use, const Registry& registry, int cpus,
                            double least_gain, const std::vector<Violation>& violations = {});

/// The settings of some candidates together, as a plan without a name.
launcher::Plan plan_of(const Registry& registry, const std::vector<const Candidate*>& together);

}  // namespace plait::tune
