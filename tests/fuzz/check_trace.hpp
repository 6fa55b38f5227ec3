// SPDX-License-Identifier: BSD-3-Clause
// Checks what the header of Trace promises about every trace that was read.
#pragma once

#include "trace/trace.hpp"

namespace plait::fuzz {

/// @throws std::logic_error when an index is invalid or times are not in order
void check_trace(const trace::Trace& trace);

}  // namespace plait::fuzz
