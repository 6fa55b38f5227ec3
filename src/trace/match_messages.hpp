// SPDX-License-Identifier: BSD-3-Clause
// Matches sends with receives.
#pragma once

#include "trace/trace.hpp"

namespace plait::trace {

/// The part of match() that is about messages.
/// @param threads, processes  see match()
void match_messages(Trace& trace, unsigned threads, Processes* processes);

}  // namespace plait::trace
