// SPDX-License-Identifier: BSD-3-Clause
// Predicts the time of a step under each schedule from measured costs.
#pragma once

#include <vector>

#include "model/overlap.hpp"
#include "plait/stepper.hpp"
#include "solve/automatic/calibration.hpp"

namespace plait::solve {

/// The schedules to choose from, blocking first: every kind, comm_thread once per communicator, all
/// with the wait, poll and block of `asked`. Those that cannot run have the reason in `refused`.
/// The list is the same on every rank even if teams or boxes differ: a rank that cannot use a
/// schedule runs it as polled or blocking.
std::vector<ScheduleCost> schedules_here(const Schedule& asked, const Runner& runner);

/// The predicted time of a step (src/model/overlap.hpp) and its interval.
model::Predicted predict(const Schedule& schedule, const Calibrated& costs, const NodeCores& node);

}  // namespace plait::solve
