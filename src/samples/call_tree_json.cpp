// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes samples.json (docs/schemas/samples-1.schema.json).
#include <fmt/format.h>

#include <cstddef>

#include "base/json_file.hpp"
#include "plait/error.hpp"
#include "samples/call_tree.hpp"

namespace plait::samples {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SampledThread, rank, thread, kind, samples, lost, truncated,
                                   cpu_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SampledPhase, name, begin_s, end_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CallNode, parent, function, line, inlined)

namespace {

/// An index below `size`.
int index_of(const json& value, std::size_t size, const char* what) {
  const int index = value.get<int>();
  if (index < 0 || static_cast<std::size_t>(index) >= size) {
    throw JsonError(fmt::format("{} {} is out of range", what, index));
  }
  return index;
}

/// The number of samples of a count, its last number.
/// @param numbers  that the count must have
std::uint64_t samples_of(const json& value, double rate_hz, std::size_t numbers = 4) {
  if (!value.is_array() || value.size() != numbers) {
    throw JsonError(fmt::format("a count must have {} numbers", numbers));
  }
  const auto samples = value[numbers - 1].get<std::uint64_t>();
  if (!is_possible_time(samples, rate_hz)) {
    throw JsonError(fmt::format("{} samples at {} Hz", samples, rate_hz));
  }
  return samples;
}

State state_of(const json& value) {
  return static_cast<State>(index_of(value, kStateNames.size(), "state"));
}

/// The counts by phase, which runs without a trace, and those of older versions, do not have.
void read_phases(const json& value, CallTree& tree) {
  if (!value.contains("phases")) return;
  value.at("phases").get_to(tree.phases);
  for (const json& entry : value.at("phase_counts")) {
    const std::uint64_t samples = samples_of(entry, tree.rate_hz, 5);
    tree.phase_counts.push_back({index_of(entry[0], tree.nodes.size(), "node"),
                                 index_of(entry[1], tree.threads.size(), "thread"),
                                 state_of(entry[2]),
                                 index_of(entry[3], tree.phases.size(), "phase"), samples});
  }
}

json function_json(const Function& of) {
  return {{"name", of.name}, {"short", of.short_name}, {"file", of.file},
          {"line", of.line}, {"module", of.module},    {"kind", of.kind}};
}

Function function_of(const json& value) {
  Function of;
  value.at("name").get_to(of.name);
  value.at("short").get_to(of.short_name);
  value.at("file").get_to(of.file);
  value.at("line").get_to(of.line);
  value.at("module").get_to(of.module);
  value.at("kind").get_to(of.kind);
  return of;
}

json nodes_json(const CallTree& tree) {
  json nodes = tree.nodes;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].parallel) nodes[i]["parallel"] = true;  // only these, as there are many nodes
  }
  return nodes;
}

CallTree tree_of(const json& value) {
  CallTree tree;
  value.at("rate_hz").get_to(tree.rate_hz);
  if (!is_possible_rate(tree.rate_hz)) {
    throw JsonError(fmt::format("the rate is {} Hz", tree.rate_hz));
  }
  value.at("clock").get_to(tree.clock);
  value.at("overhead").at("per_sample_us").get_to(tree.sample_us);
  value.at("overhead").at("percent").get_to(tree.overhead_percent);
  value.at("threads").get_to(tree.threads);
  for (const json& one : value.at("functions")) tree.functions.push_back(function_of(one));
  for (const json& one : value.at("nodes")) {
    CallNode node = one.get<CallNode>();
    node.parallel = one.value("parallel", false);
    index_of(one.at("function"), tree.functions.size(), "function");
    if (node.parent != -1) index_of(one.at("parent"), tree.nodes.size(), "parent");
    tree.nodes.push_back(node);
  }
  for (const json& entry : value.at("counts")) {
    const std::uint64_t samples = samples_of(entry, tree.rate_hz);
    tree.counts.push_back({index_of(entry[0], tree.nodes.size(), "node"),
                           index_of(entry[1], tree.threads.size(), "thread"), state_of(entry[2]),
                           samples});
  }
  value.at("region_names").get_to(tree.region_names);
  for (const json& entry : value.at("region_counts")) {
    const std::uint64_t samples = samples_of(entry, tree.rate_hz);
    tree.region_counts.push_back({index_of(entry[0], tree.nodes.size(), "node"),
                                  index_of(entry[1], tree.threads.size(), "thread"),
                                  index_of(entry[2], tree.region_names.size(), "region"), samples});
  }
  read_phases(value, tree);
  value.at("notes").get_to(tree.notes);
  return tree;
}

}  // namespace

json to_json(const CallTree& tree) {
  json functions = json::array(), counts = json::array(), region_counts = json::array();
  for (const Function& of : tree.functions) functions.push_back(function_json(of));
  for (const NodeCount& of : tree.counts) {
    counts.push_back({of.node, of.thread, static_cast<int>(of.state), of.samples});
  }
  for (const RegionCount& of : tree.region_counts) {
    region_counts.push_back({of.node, of.thread, of.region, of.samples});
  }
  json of = {{"schema", kSamplesSchema},
             {"schema_version", kSamplesVersion},
             {"rate_hz", tree.rate_hz},
             {"clock", tree.clock},
             {"overhead", {{"per_sample_us", tree.sample_us}, {"percent", tree.overhead_percent}}},
             {"threads", tree.threads},
             {"functions", std::move(functions)},
             {"nodes", nodes_json(tree)},
             {"states", kStateNames},
             {"counts", std::move(counts)},
             {"region_names", tree.region_names},
             {"region_counts", std::move(region_counts)},
             {"notes", tree.notes}};
  if (!tree.phases.empty()) {
    json& phase_counts = of["phase_counts"] = json::array();
    for (const PhaseCount& one : tree.phase_counts) {
      phase_counts.push_back(
          {one.node, one.thread, static_cast<int>(one.state), one.phase, one.samples});
    }
    of["phases"] = tree.phases;
  }
  return of;
}

CallTree call_tree_from_json(const json& value, const std::string& name) {
  return convert_json(name, "run the program again with --sample", [&] { return tree_of(value); });
}

CallTree read_call_tree(const std::filesystem::path& file) {
  return call_tree_from_json(
      read_json_file(file, kSamplesSchema, kSamplesVersion, "run the program again with --sample"),
      file.string());
}

std::filesystem::path call_tree_file(const std::filesystem::path& run_dir) {
  return run_dir / "samples.json";
}

}  // namespace plait::samples
