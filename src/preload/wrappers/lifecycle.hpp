// SPDX-License-Identifier: BSD-3-Clause
// Start and end of the observed process: load, Init, Finalize, Abort, fork, exit.
#pragma once

#include "preload/calls/call.hpp"

namespace plait::preload {

/// Called after MPI_Init in a process that should be recorded but is not; returns `code`.
int stand_by(int code);

void before_init(Call& call);
void see_init(Call& call);
void see_init_thread(Call& call, int required, const int* provided);
void see_session_init(Call& call, const MPI_Session* session);
void before_finalize(Call& call);
/// The last communication of this process for Plait, before the library finalizes MPI. Only the
/// first call does something.
void leave_job();
inline void see_finalize(Call&) {}
inline void see_session_finalize(Call&) {}

/// Abort does not return: it is counted before it is called.
void before_abort(Call& call, MPI_Comm comm);
inline void see_abort(Call&) {}

}  // namespace plait::preload
