// SPDX-License-Identifier: BSD-3-Clause
// Writes a trace as an OTF2 archive.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "export/otf2/archive.hpp"
#include "trace/trace.hpp"

namespace plait::otf2 {

/// The number of a rank's first location; threads follow it. Ranks without events have one.
std::vector<OTF2_LocationRef> first_locations(const trace::Trace& trace);

/// Regions: functions, then user and OpenMP regions, then one for those that are not defined.
inline OTF2_RegionRef region_of(const trace::Trace& trace, const trace::Shape& shape) {
  const bool function = shape.kind != trace::EventKind::kRegion &&
                        shape.kind != trace::EventKind::kParallel &&
                        shape.kind != trace::EventKind::kWork;
  const std::size_t regions = std::min<std::size_t>(shape.site, trace.regions.size());
  return function ? shape.function : static_cast<OTF2_RegionRef>(trace.functions.size() + regions);
}

/// Writes the events of all ranks.
/// @returns their number, by location
std::vector<std::uint64_t> write_events(const trace::Trace& trace, OTF2_Archive* archive,
                                        const std::filesystem::path& file);

void write_definitions(const trace::Trace& trace, const std::vector<std::uint64_t>& events,
                       OTF2_GlobalDefWriter* writer, const std::filesystem::path& file);

/// Writes traces.otf2, traces.def and traces/ into a folder, whose such files it replaces.
/// @returns the size of all
/// @throws Error when they cannot be written.
std::uint64_t write_otf2(const trace::Trace& trace, const std::filesystem::path& folder);

}  // namespace plait::otf2
