// SPDX-License-Identifier: BSD-3-Clause
// The one sentence that says where a run's time went and what to blame.
#pragma once

#include <string>

#include "model/efficiencies.hpp"
#include "report/profile.hpp"

namespace plait::report {

/// Fractions of the ranks' time; they sum to 1.
struct TimeShares {
  double compute = 0;
  double mpi = 0;
  double omp_idle = 0;
};

/// How the time of all recorded ranks divides; all zero without ranks.
TimeShares time_shares(const Profile& profile);

/// A profile's efficiency values as the model's, to ask it for the losses.
model::Losses losses_of(const EfficiencyTable& table);

/// Whether a finding says that the placement spoils the run's timings.
bool is_placement_finding(const Finding& finding);

/// The verdict on a profile whose other fields are filled: names the largest loss, its share of the
/// time, and the call site, rank or region responsible.
std::string verdict(const Profile& profile);

}  // namespace plait::report
