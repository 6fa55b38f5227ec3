// SPDX-License-Identifier: BSD-3-Clause
// Names of events, ranks, threads and call paths in exports.
#include "export/event_text.hpp"

#include <fmt/format.h>

#include "base/json.hpp"
#include "trace/frame_text.hpp"

namespace plait::exports {

using trace::EventKind;

std::string_view category(EventKind kind) {
  if (kind == EventKind::region) return "region";
  return kind == EventKind::parallel || kind == EventKind::work ? "OpenMP" : "MPI";
}

bool has_site(EventKind kind) {
  return category(kind) == "MPI";
}

bool has_tag(EventKind kind) {
  return kind == EventKind::send || kind == EventKind::receive || kind == EventKind::send_receive ||
         kind == EventKind::start || kind == EventKind::probe;
}

std::string event_name(const trace::Trace& trace, const trace::PlaceNames& names,
                       const trace::Shape& shape) {
  if (has_site(shape.kind)) {
    return shape.function < trace.functions.size() ? trace.functions[shape.function] : "unknown";
  }
  if (shape.site >= trace.regions.size()) return "unknown";
  const trace::TraceRegion& region = trace.regions[shape.site];
  if (!region.name.empty()) return region.name;
  return fmt::format("{} {}", shape.kind == EventKind::work ? "work" : "parallel",
                     names.regions.at(shape.site));
}

std::vector<std::string> event_names(const trace::Trace& trace, const trace::PlaceNames& names) {
  std::vector<std::string> all;
  all.reserve(trace.shapes.size());
  for (const trace::Shape& shape : trace.shapes) all.push_back(event_name(trace, names, shape));
  return all;
}

std::string site_text(const trace::PlaceNames& names, std::uint32_t site) {
  return site < names.sites.size() && !names.paths[site].empty() ? names.sites[site] : "";
}

std::string path_text(const trace::PlaceNames& names, std::uint32_t site) {
  std::string text;
  if (site >= names.paths.size()) return text;
  for (const trace::Frame& frame : names.paths[site]) {
    if (!text.empty()) text += " < ";
    text += trace::site_place({frame});
  }
  return text;
}

std::string rank_text(const trace::Rank& rank) {
  return fmt::format("rank {} ({})", rank.world_rank, rank.host);
}

std::string thread_text(int tid) {
  return fmt::format("thread {}", tid);
}

std::string thread_text(const trace::Stream& stream) {
  return thread_text(stream.tid);
}

std::string json_text(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace plait::exports
