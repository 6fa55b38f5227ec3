// SPDX-License-Identifier: BSD-3-Clause
// The verdict on a profile: where the time went and what caused the largest loss.
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

/// The shares of all recorded ranks' time; all zero without ranks.
TimeShares time_shares(const Profile& profile);

/// The losses that follow from a profile's efficiencies (model::losses).
model::Losses losses_of(const EfficiencyTable& table);

/// True for findings about a placement that makes the run's times unreliable.
bool is_placement_finding(const Finding& finding);

/// One to three sentences on a profile whose other fields are set: the largest loss, its share of
/// the time, and the call site, rank or region responsible.
std::string verdict(const Profile& profile);

}  // namespace plait::report
