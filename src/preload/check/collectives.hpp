// SPDX-License-Identifier: BSD-3-Clause
// What a process hands to a collective call, and what it expects of it.
#pragma once

#include "preload/check/state.hpp"

namespace plait::preload {

/// Fills in root, operation, types and counts, as far as they mean something on this process.
void describe_collective(Call& call, const Checker& checker, const Traits& traits,
                         plait_check_op* op);

}  // namespace plait::preload
