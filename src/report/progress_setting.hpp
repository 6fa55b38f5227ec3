// SPDX-License-Identifier: BSD-3-Clause
// Which setting of its MPI, meant to make messages move while it computes, a run had.
#pragma once

#include <string>

#include "report/run_file.hpp"

namespace plait::report {

/// From the run's environment and command, as plait measure names settings (measure's
/// progress_settings.hpp): "MPIR_CVAR_ASYNC_PROGRESS=1", "--mca btl_tcp_progress_thread 1". Empty:
/// none is switched on.
/// @param library  the MPI that ran, as short_library() says
std::string progress_setting(const RunFile& run, const std::string& library);

}  // namespace plait::report
