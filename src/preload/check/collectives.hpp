// SPDX-License-Identifier: BSD-3-Clause
// The data that a process sends in a collective call, and the data that it expects.
#pragma once

#include "preload/check/state.hpp"

namespace plait::preload {

/// Fills in root, operation, types and counts, if they are significant on this process.
void describe_collective(const Checker& checker, const Traits& traits, plait_check_op* op);

}  // namespace plait::preload
