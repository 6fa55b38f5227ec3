// SPDX-License-Identifier: BSD-3-Clause
// What to say of a deadlock: who waits for whom by which calls, and what mends it.
#pragma once

#include <cstddef>
#include <vector>

#include "check/waiting.hpp"

namespace plait::check {

/// Names the ranks at the heart of a deadlock. Of a collective call that ranks wait for in vain,
/// because others have gone to MPI_Finalize, it is a "collective_missing", else a "deadlock".
/// `stuck`: indices into waiting.graph.threads, as deadlocked() gives them; not empty.
Finding deadlock_finding(const Job& job, const Messages& messages, const Collectives& collectives,
                         const Waiting& waiting, const std::vector<std::size_t>& stuck);

}  // namespace plait::check
