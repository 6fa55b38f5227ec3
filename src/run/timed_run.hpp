// SPDX-License-Identifier: BSD-3-Clause
// Runs a command under Plait for its time: nobody watches it, and nothing is printed.
#pragma once

#include "run/run.hpp"

namespace plait::run {

/// Runs a whole job as run() does, but unattended (ProcessRequest::unattended). Its output is only
/// in the run directory, and warnings are only in run.json. Defined in run.cpp.
/// @throws Error as run().
RunResult timed_run(const RunRequest& request);

}  // namespace plait::run
