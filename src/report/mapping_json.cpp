// SPDX-License-Identifier: BSD-3-Clause
// A mapping as JSON.
#include "machine/machine_file.hpp"
#include "report/mapping.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

json interval_json(const map::Interval& of) {
  return {{"value", of.value}, {"low", of.low}, {"high", of.high}};
}

json score_json(const map::Score& score, double unit_bytes) {
  return {{"pairs_between_nodes", score.cut_pairs},
          {"pairs", score.pairs},
          {"bytes_between_nodes", score.cut},
          {"bytes_of_busiest_node", score.busiest_node},
          {"exchange_s", score.time_s},
          {"distance", score.distance / unit_bytes}};
}

json costs_json(const map::CostsRange& costs) {
  const auto path = [](const map::PathCost& of) {
    return json{{"seconds", of.seconds}, {"seconds_per_byte", of.seconds_per_byte}};
  };
  json inside = json::array();
  for (std::size_t level = 0; level < map::kLevels; ++level) {
    inside.push_back(path(costs.middle.path[level]));
  }
  return {{"from", costs.from},
          {"measured", costs.measured},
          {"inside_node", inside},
          {"between_nodes", path(costs.middle.path[map::kLevels])},
          {"card", path(costs.middle.card)}};
}

json nodes_json(const map::Slots& slots) {
  std::vector<int> capacity;
  for (int slot = 0; slot < slots.size(); ++slot) {
    const auto node = static_cast<std::size_t>(slots.node_of(slot));
    if (node >= capacity.size()) capacity.resize(node + 1, 0);
    ++capacity[node];
  }
  json nodes = json::array();
  for (std::size_t node = 0; node < capacity.size(); ++node) {
    nodes.push_back({{"name", node < slots.nodes.size() ? json(slots.nodes[node]) : json(nullptr)},
                     {"slots", capacity[node]}});
  }
  return nodes;
}

json node_of_processes(const map::Slots& slots, const std::vector<int>& slot_of) {
  json nodes = json::array();
  for (const int slot : slot_of) nodes.push_back(slots.node_of(slot));
  return nodes;
}

const char* goal_name(map::Goal goal) {
  switch (goal) {
    case map::Goal::exchange_time:
      return "time";
    case map::Goal::cut:
      return "cut";
    case map::Goal::distance:
      return "distance";
  }
  return "";
}

json header() {
  return {{"schema", "plait-map"},
          {"schema_version", 1},
          {"plait_version", PLAIT_VERSION},
          {"created", machine::utc_now()}};
}

}  // namespace

json mapping_to_json(const MappingReport& report) {
  const map::MappingResult& result = report.result;
  json candidates = json::array();
  for (const map::Candidate& one : result.candidates) {
    candidates.push_back({{"method", one.method},
                          {"score", score_json(one.score, report.unit_bytes)},
                          {"search_s", one.seconds}});
  }
  json value = header();
  value["verdict"] = mapping_verdict(report);
  value["input"] = report.input;
  value["processes"] = report.request.graph.size();
  value["nodes"] = nodes_json(report.request.slots);
  value["goal"] = goal_name(report.request.goal);
  value["costs"] = costs_json(report.costs);
  value["nothing_to_gain"] = result.nothing_to_gain;
  value["method"] = result.method;
  value["before"] = score_json(result.before, report.unit_bytes);
  value["after"] = score_json(result.after, report.unit_bytes);
  value["predicted"] = {{"before_s", interval_json(report.gain.before_s)},
                        {"after_s", interval_json(report.gain.after_s)},
                        {"times_faster", interval_json(report.gain.ratio)}};
  value["candidates"] = candidates;
  value["slot_of_process"] = result.slot_of;
  value["node_of_process"] = node_of_processes(report.request.slots, result.slot_of);
  value["notes"] = report.notes;
  return value;
}

json subgrid_to_json(const std::vector<map::SubgridSurface>& surfaces) {
  json rows = json::array();
  for (const map::SubgridSurface& one : surfaces) {
    rows.push_back({{"cores", one.cores},
                    {"block", one.block},
                    {"stick", one.stick},
                    {"of_block", one.of_block},
                    {"cube", one.cube},
                    {"scattered", one.scattered}});
  }
  json value = header();
  value["figure"] = "blocks";
  value["rows"] = rows;
  return value;
}

}  // namespace plait::report
