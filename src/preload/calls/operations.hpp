// SPDX-License-Identifier: BSD-3-Clause
// The operation of a reduction, as a number that is the same in all processes.
#pragma once

#include "preload/calls/abi.hpp"

namespace plait::preload {

/// The handle's number in enum plait_operation (trace/event_format.h); plait check uses it as well.
uint32_t operation_of(Word handle);

}  // namespace plait::preload
