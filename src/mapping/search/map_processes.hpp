// SPDX-License-Identifier: BSD-3-Clause
// Searches for a mapping of processes to slots under which an exchange takes the least time.
#pragma once

#include "mapping/mapping.hpp"

namespace plait::mapping {

/// Chooses a mapping: the same for the same request, on every machine. Never worse than `now`.
/// Works on one thread; uses no MPI, no files, no global state.
/// @throws Error when there are more processes than slots or `now` is not a valid assignment.
MappingResult map_processes(const MappingRequest& request);

}  // namespace plait::mapping
