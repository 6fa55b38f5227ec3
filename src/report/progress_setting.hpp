// SPDX-License-Identifier: BSD-3-Clause
// The asynchronous progress setting of a run's MPI.
#pragma once

#include <string>

#include "report/run_file.hpp"

namespace plait::report {

/// The setting that lets messages progress while the program computes, from the run's environment
/// and command, written as in measure/progress_settings.hpp: "MPIR_CVAR_ASYNC_PROGRESS=1", "--mca
/// btl_tcp_progress_thread 1". Empty: none is on.
/// @param library  the MPI that ran, as returned by short_library()
std::string progress_setting(const RunFile& run, const std::string& library);

}  // namespace plait::report
