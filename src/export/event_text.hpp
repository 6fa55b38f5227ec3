// SPDX-License-Identifier: BSD-3-Clause
// Names of events, ranks, threads and call paths in exports.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "trace/site_names.hpp"
#include "trace/trace.hpp"

namespace plait::exports {

/// The category of an event: "MPI", "OpenMP" or "region".
std::string_view category(trace::EventKind kind);

/// The name of an event: the MPI function, the user region, or the place of the OpenMP region.
std::string event_name(const trace::Trace& trace, const trace::PlaceNames& names,
                       const trace::Shape& shape);

/// The event names of all shapes, by index.
std::vector<std::string> event_names(const trace::Trace& trace, const trace::PlaceNames& names);

/// The name of a call site, as reports have it; empty: unknown.
std::string site_text(const trace::PlaceNames& names, std::uint32_t site);

/// A call path as "exchange (halo.c:12) < solve (cg.c:120)", innermost first; empty: unknown.
std::string path_text(const trace::PlaceNames& names, std::uint32_t site);

/// True if Shape::site of such events is a call path.
bool has_site(trace::EventKind kind);

/// True if such events have a tag.
bool has_tag(trace::EventKind kind);

/// "rank 3 (node07)".
std::string rank_text(const trace::Rank& rank);

/// "thread 4711": its number in the system.
std::string thread_text(int tid);
std::string thread_text(const trace::Stream& stream);

/// JSON text. Replaces invalid UTF-8, which names from a program may contain.
std::string json_text(const nlohmann::json& value);

}  // namespace plait::exports
