// SPDX-License-Identifier: BSD-3-Clause
// What counts of events say about memory traffic and floating-point operations.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/resources.hpp"

namespace plait::report {

/// Counts by the event's name.
using EventCounts = std::map<std::string, double>;

/// The events that were counted.
/// @param counts  in the order of the events
EventCounts event_counts(const std::vector<CounterEventRow>& events,
                         const std::vector<std::optional<double>>& counts);

/// The bytes that misses of the last cache moved; nothing if they were not counted. Lines that were
/// prefetched are not among them on all processors.
std::optional<double> memory_bytes(const EventCounts& counts);

/// Floating-point operations; nothing if they were not counted.
std::optional<double> floating_point_operations(const EventCounts& counts);

}  // namespace plait::report
