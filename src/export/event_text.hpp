// SPDX-License-Identifier: BSD-3-Clause
// How exports name what a trace holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.hpp"

namespace plait::exports {

/// "MPI", "OpenMP" or "region".
std::string_view category(trace::EventKind kind);

/// The MPI function, the user region's name, or where the OpenMP region is in the program.
std::string event_name(const trace::Trace& trace, const trace::Shape& shape);

/// Names of all shapes, by index.
std::vector<std::string> event_names(const trace::Trace& trace);

/// The call path as "solver+0x1234 < libsolve.so+0x88", innermost first; empty: unknown.
std::string site_text(const trace::Trace& trace, std::uint32_t site);

/// Does `Shape::site` of such events name a call path?
bool has_site(trace::EventKind kind);

/// Is the tag one that a program gave, or asked for?
bool has_tag(trace::EventKind kind);

}  // namespace plait::exports
