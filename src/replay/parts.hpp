// SPDX-License-Identifier: BSD-3-Clause
// Replays a program in parts, on several threads and processes.
#pragma once

#include <optional>

#include "replay/replay.hpp"

namespace plait::replay {

/// Rewinds the program, and makes room for the times and lengths of all ranks and threads.
void prepare(Program& program, const ReplayOptions& options);

/// As replay(), with the threads and processes of the options. The parts go on in rounds: each
/// replays until all of its ranks wait, then all exchange what they tell each other.
/// @returns nothing if one thread should replay all: the network or the program does not allow
///          parts, there are few ranks, or the parts wait for each other most of the time. All
///          processes get the same answer. A Program::is_part() is always replayed in parts.
/// @throws Error when the network or missing processes do not allow that.
std::optional<ReplayResult> replay_in_parts(Program& program, const Network& network,
                                            const ReplayOptions& options);

}  // namespace plait::replay
