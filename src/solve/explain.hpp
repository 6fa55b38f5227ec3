// SPDX-License-Identifier: BSD-3-Clause
// What a stepper knows of its costs, as a table for people.
#pragma once

#include <string>

#include "plait/halo.hpp"
#include "solve/automatic.hpp"
#include "solve/stepper_runner.hpp"

namespace plait::solve {

/// @param asked  the schedule that the stepper was made with
/// @param in_use the one that it uses now
std::string explain_text(const Halo& halo, const Agreed& agreed, const Automatic& known,
                         const Schedule& asked, const Schedule& in_use);

}  // namespace plait::solve
