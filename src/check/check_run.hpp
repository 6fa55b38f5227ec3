// SPDX-License-Identifier: BSD-3-Clause
// Runs a program under plait check and judges its calls.
#pragma once

#include <filesystem>
#include <functional>

#include "check/output.hpp"
#include "run/run.hpp"

namespace plait::check {

/// Reports a verdict.
/// @param file  check.json, which is written already
using Report =
    std::function<void(const Verdict&, const Outcome&, const std::filesystem::path& file)>;

/// Runs a program, ends it if it is deadlocked, judges its calls, writes check.json into the run
/// directory and removes the check files. Reports once, if this process reports the run at all.
/// @param request  of the run; what plait check needs is set
/// @param stall_s  time in one call after which a deadlock is looked for
/// @return the exit code of the command: see exit_code
/// @throws Error as run::run and read_job do.
int run_checked(run::RunRequest request, double stall_s, const Report& report);

}  // namespace plait::check
