// SPDX-License-Identifier: BSD-3-Clause
// Describes a deadlock: which ranks wait for which in which calls, and the fix.
#pragma once

#include <cstddef>
#include <vector>

#include "check/waiting.hpp"

namespace plait::check {

/// Names the ranks that cause a deadlock. The kind is "collective_missing" if they wait in a
/// collective call for ranks that have ended or called MPI_Finalize, else "deadlock".
/// @param stuck  indices into waiting.graph.threads, from deadlocked(); not empty
Finding deadlock_finding(const Job& job, const Messages& messages, const Collectives& collectives,
                         const Waiting& waiting, const std::vector<std::size_t>& stuck);

}  // namespace plait::check
