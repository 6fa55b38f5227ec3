// SPDX-License-Identifier: BSD-3-Clause
// Which of MPI's operations a reduction uses, by a number that is the same in all processes.
#pragma once

#include "preload/profile/abi.hpp"

namespace plait::preload::trace {

/// enum plait_operation of the handle.
uint32_t operation_of(Word handle);

}  // namespace plait::preload::trace
