// SPDX-License-Identifier: BSD-3-Clause
// What the model makes of measured costs: the time of a step under each schedule.
#pragma once

#include <vector>

#include "model/overlap.hpp"
#include "plait/stepper.hpp"
#include "solve/automatic_calibration.hpp"

namespace plait::solve {

/// The schedules that there are to choose from, blocking first: every kind, comm_thread by each
/// communicator, all with the wait, poll and block of `asked`. Those that cannot run have the
/// reason in `refused`. The same on every rank, also where teams or boxes differ: a rank for which
/// a schedule has no use runs it as polled or blocking.
std::vector<ScheduleCost> schedules_here(const Schedule& asked, const Runner& runner);

/// The model's time of a step (src/model/overlap.hpp) and its interval.
model::Predicted predict(const Schedule& schedule, const Calibrated& costs, const NodeCores& node);

}  // namespace plait::solve
