// SPDX-License-Identifier: BSD-3-Clause
// The verdict on a profile: where the time went and what caused the largest loss.
#pragma once

#include <string>

#include "model/efficiencies.hpp"
#include "report/profile.hpp"

namespace plait::report {

/// Fractions of the ranks' time; they sum to 1.
struct TimeShares {
  double compute = 0;   ///< on a CPU
  double cpu_wait = 0;  ///< outside MPI, waiting for a CPU
  double mpi = 0;
  double mpi_wait = 0;  ///< of `mpi`, waiting for a CPU
  double omp_idle = 0;
};

/// The shares of all recorded ranks' time; all zero without ranks.
TimeShares time_shares(const Profile& profile);

/// The losses that follow from a profile's efficiencies (model::losses).
model::Losses losses_of(const EfficiencyTable& table);

/// True for findings about a placement that makes the run's times unreliable.
bool is_placement_finding(const Finding& finding);

/// True for findings that threads of the run share cores with each other.
bool is_sharing_finding(const Finding& finding);

/// The time in which a rank computed: outside MPI, and on a CPU.
double useful_s(const RankRow& rank);

/// True if ranks waited for a CPU outside MPI long enough to be mentioned.
bool waits_outside_mpi(const Profile& profile);

/// One to three sentences on a profile whose other fields are set: the largest loss, its share of
/// the time, and the call site, rank or region responsible. Losses that are nearly equal are named
/// together, because noise could change their order.
/// @param traced  an analysis of the run's trace says what caused the losses
std::string verdict(const Profile& profile, bool traced = false);

}  // namespace plait::report
