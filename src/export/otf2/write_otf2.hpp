// SPDX-License-Identifier: BSD-3-Clause
// Writes a trace as an OTF2 archive.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "export/otf2/archive.hpp"
#include "trace/site_names.hpp"
#include "trace/trace.hpp"

namespace plait::otf2 {

/// The first location of each rank, by rank, and the total number; a rank's threads have
/// consecutive locations. Ranks without events have one location.
std::vector<OTF2_LocationRef> first_locations(const trace::Trace& trace);

/// The region of an event. Numbers: functions, then user and OpenMP regions, then one for undefined
/// regions.
inline OTF2_RegionRef region_of(const trace::Trace& trace, const trace::Shape& shape) {
  const bool function = shape.kind != trace::EventKind::region &&
                        shape.kind != trace::EventKind::parallel &&
                        shape.kind != trace::EventKind::work;
  const std::size_t regions = std::min<std::size_t>(shape.site, trace.regions.size());
  return function ? shape.function : static_cast<OTF2_RegionRef>(trace.functions.size() + regions);
}

/// The attribute of calls that names their site.
inline constexpr OTF2_AttributeRef kSiteAttribute = 0;

/// The names of call sites as the first strings of an archive.
struct SiteStrings {
  explicit SiteStrings(const trace::PlaceNames& names);

  std::vector<std::string> texts;       ///< by string reference, all different
  std::vector<OTF2_StringRef> of_site;  ///< by site; OTF2_UNDEFINED_STRING: unknown
};

/// Writes the events of all ranks.
/// @returns the number of events, by location
/// @throws Error when they cannot be written
std::vector<std::uint64_t> write_events(const trace::Trace& trace, const SiteStrings& sites,
                                        OTF2_Archive* archive, const std::filesystem::path& file);

/// What the definitions are made of.
struct DefinitionParts {
  const trace::Trace& trace;
  const trace::PlaceNames& names;
  const SiteStrings& sites;
  const std::vector<std::uint64_t>& events;  ///< their number, by location
};

/// Writes the definitions.
/// @throws Error when they cannot be written
void write_definitions(const DefinitionParts& of, OTF2_GlobalDefWriter* writer,
                       const std::filesystem::path& file);

/// Writes traces.otf2, traces.def and traces/ into a folder, replacing existing ones.
/// @returns the total size in bytes
/// @throws Error when they cannot be written.
std::uint64_t write_otf2(const trace::Trace& trace, const trace::PlaceNames& names,
                         const std::filesystem::path& folder);

}  // namespace plait::otf2
