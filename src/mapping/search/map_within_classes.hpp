// SPDX-License-Identifier: BSD-3-Clause
// Searches for a mapping of processes that do not fit into each other's slots.
#pragma once

#include <vector>

#include "mapping/mapping.hpp"

namespace plait::mapping {

/// As map_processes(), but a process only gets a slot in which a process of its class is now: a
/// rank with few threads leaves the slot of one with many to others of that kind. Maps each class
/// for the messages inside it, and keeps the result if it is better for all messages.
/// @param class_of  class of each process; empty: all are of one
/// @throws Error as map_processes().
MappingResult map_within_classes(const MappingRequest& request, const std::vector<int>& class_of);

}  // namespace plait::mapping
