// SPDX-License-Identifier: BSD-3-Clause
// The single events of the page's timeline, of the rows of one rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/json.hpp"
#include "report/timeline_columns.hpp"
#include "report/timeline_source.hpp"
#include "report/timeline_windows.hpp"

namespace plait::report {

/// The groups of a stream: events of different groups may overlap, those of one nest or follow each
/// other.
inline constexpr std::size_t kEventGroups = 3;
inline constexpr const char* kEventGroupNames[kEventGroups] = {"calls", "openmp", "regions"};

/// The events of a row of one rank.
struct RowEvents {
  std::uint32_t row = 0, time_stream = 0;
  std::vector<JoinedColumns> groups;  ///< of each stream, as kEventGroupNames
};
template <class Archive>
void fields(Archive& archive, RowEvents& of) {
  archive(of.row, of.time_stream, of.groups);
}

/// The events in some windows.
struct TimelineEvents {
  std::vector<RowEvents> rows;        ///< of one rank that this process has; ascending
  std::vector<std::uint64_t> shapes;  ///< of all processes: shape x kTimeCategories + category
};

/// Collective. Groups of events by their begin, outer ones first, as columns: begin (difference to
/// the previous event), duration, shape, bytes (difference to the shape's previous event), waiting.
/// Equal events share the combination of shape and category; these are numbered in the order of
/// their first use.
TimelineEvents timeline_events(const TimelineSource& of,
                               const std::vector<TimelineWindow>& windows);

/// TimelineEvents::shapes as the page reads them: kind, category, function, site (or region),
/// communicator, partner, tag, wildcard.
nlohmann::json shapes_to_json(const trace::Trace& trace, const std::vector<std::uint64_t>& shapes);

}  // namespace plait::report
