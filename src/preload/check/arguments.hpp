// SPDX-License-Identifier: BSD-3-Clause
// Arguments that MPI does not allow.
#pragma once

#include "preload/check/state.hpp"

namespace plait::preload {

/// Before a call: reports an argument of a send, receive, wait or collective call that is not
/// valid. MPI may end the job because of it.
void judge_arguments(const Call& call, Checker& checker);

/// After a call: reports an error that says that an argument was not valid, unless judge_arguments
/// has reported one.
void judge_code(const Call& call, const Checker& checker, int code);

}  // namespace plait::preload
