// SPDX-License-Identifier: BSD-3-Clause
// The mapper's decisions in a run, below the report.
#include "report/map_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "base/json.hpp"
#include "text/counted.hpp"
#include "text/ratio.hpp"
#include "text/wrap.hpp"
#include "trace/container.hpp"

namespace plait::report {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::size_t kMostDecisions = 6;

MapScore score_of(const json& of) {
  return {of.at("time_s").get<double>(), of.at("cut_pairs").get<std::int64_t>()};
}

std::optional<MapDecision> decision_of(const std::string& line) {
  try {
    const json of = parse_json(line);
    if (of.at("map").get<int>() != 1) return std::nullopt;
    MapDecision decision;
    decision.call = of.at("call").get<std::string>();
    decision.shape = of.at("shape").get<std::string>();
    decision.nodes = of.at("nodes").get<int>();
    decision.pairs = of.at("pairs").get<std::int64_t>();
    decision.reordered = of.at("reordered").get<bool>();
    decision.before = score_of(of.at("before"));
    decision.after = score_of(of.at("after"));
    return decision;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

bool same(const MapDecision& a, const MapDecision& b) {
  return a.call == b.call && a.shape == b.shape && a.nodes == b.nodes && a.before == b.before &&
         a.after == b.after;
}

std::string sentence(const MapDecision& decision) {
  const std::string what =
      fmt::format("{} {} on {}{}: ", decision.call, decision.shape, counted(decision.nodes, "node"),
                  decision.times > 1 ? fmt::format(", {} times", decision.times) : "");
  if (!decision.reordered) {
    return what + fmt::format("nothing to gain; {} of {} neighbour pairs are between nodes",
                              decision.before.cut_pairs, decision.pairs);
  }
  return what + fmt::format(
                    "reordered; {} instead of {} of {} neighbour pairs are between nodes; "
                    "predicted exchange {} times faster (assumed costs)",
                    decision.after.cut_pairs, decision.before.cut_pairs, decision.pairs,
                    format_ratio(decision.before.time_s / decision.after.time_s));
}

}  // namespace

std::vector<MapDecision> read_map_decisions(const fs::path& run_dir) {
  std::vector<MapDecision> decisions;
  for (const fs::path& file : trace::list_record_files(run_dir / "records", ".map", nullptr)) {
    std::string text;
    try {
      text = trace::record_file_text(file);
    } catch (const Error&) {
      continue;  // the report names what cannot be read
    }
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      const auto decision = decision_of(line);
      if (!decision) continue;
      const auto known = std::find_if(decisions.begin(), decisions.end(),
                                      [&](const MapDecision& one) { return same(one, *decision); });
      if (known == decisions.end()) {
        decisions.push_back(*decision);
      } else {
        ++known->times;
      }
    }
  }
  return decisions;
}

std::vector<std::string> map_lines(const std::vector<MapDecision>& decisions) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(decisions.size(), kMostDecisions); ++i) {
    for (std::string& line :
         wrap_beside("Mapping: ", printable(sentence(decisions[i]), true), kTerminalColumns, 4)) {
      lines.push_back(std::move(line));
    }
  }
  if (decisions.size() > kMostDecisions) {
    lines.push_back(fmt::format("Mapping: {} more topologies; records/*.map has all",
                                decisions.size() - kMostDecisions));
  }
  return lines;
}

}  // namespace plait::report
