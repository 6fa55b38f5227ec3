// SPDX-License-Identifier: BSD-3-Clause
// Names of events, ranks, threads and call paths in exports.
#include "export/event_text.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/json.hpp"

namespace plait::exports {
namespace {

using trace::EventKind;

std::string address_text(const trace::CodeAddress& address) {
  if (address.module.empty()) return fmt::format("{:#x}", address.pc);
  return fmt::format("{}+{:#x}", std::filesystem::path(address.module).filename().string(),
                     address.offset);
}

}  // namespace

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

std::string event_name(const trace::Trace& trace, const trace::Shape& shape) {
  if (has_site(shape.kind)) {
    return shape.function < trace.functions.size() ? trace.functions[shape.function] : "unknown";
  }
  if (shape.site >= trace.regions.size()) return "unknown";
  const trace::TraceRegion& region = trace.regions[shape.site];
  if (!region.name.empty()) return region.name;
  return fmt::format("{} {}", shape.kind == EventKind::work ? "work" : "parallel",
                     address_text(region.address));
}

std::vector<std::string> event_names(const trace::Trace& trace) {
  std::vector<std::string> names;
  names.reserve(trace.shapes.size());
  for (const trace::Shape& shape : trace.shapes) names.push_back(event_name(trace, shape));
  return names;
}

std::string site_text(const trace::Trace& trace, std::uint32_t site) {
  std::string text;
  if (site >= trace.sites.size()) return text;
  for (const trace::CodeAddress& frame : trace.sites[site].frames) {
    if (!text.empty()) text += " < ";
    text += address_text(frame);
  }
  return text;
}

std::string rank_text(const trace::Rank& rank) {
  return fmt::format("rank {} ({})", rank.world_rank, rank.host);
}

std::string thread_text(const trace::Stream& stream) {
  return fmt::format("thread {}", stream.tid);
}

std::string json_text(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace plait::exports
