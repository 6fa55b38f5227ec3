// SPDX-License-Identifier: BSD-3-Clause
// A table for people with all that a stepper knows of its costs.
#pragma once

#include <string>

#include "plait/halo.hpp"
#include "solve/automatic/automatic.hpp"
#include "solve/schedules/stepper_runner.hpp"

namespace plait::solve {

/// The kind of a schedule and its communicator: "comm_thread, team".
std::string short_name(const Schedule& schedule);

/// The text of Stepper::explain().
/// @param asked   the schedule that the stepper was created with
/// @param in_use  the schedule that it uses now
std::string explain_text(const Halo& halo, const Agreed& agreed, const Automatic& known,
                         const Schedule& asked, const Schedule& in_use);

}  // namespace plait::solve
