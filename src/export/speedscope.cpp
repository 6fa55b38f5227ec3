// SPDX-License-Identifier: BSD-3-Clause
// Speedscope's file format: a profile for each thread, its stacks with weights in seconds.
#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "export/output_file.hpp"
#include "export/samples.hpp"

namespace plait::exports {
namespace {

using nlohmann::json;

/// Frames by function and line, in the order of their first use.
class Frames {
public:
  explicit Frames(const samples::CallTree& tree) : tree_(tree) {}

  std::size_t index_of(const samples::CallNode& node) {
    const auto [known, is_new] = known_.try_emplace({node.function, node.line}, list_.size());
    if (is_new) {
      const samples::Function& of = tree_.functions[static_cast<std::size_t>(node.function)];
      json frame = {{"name", of.name}};
      if (!of.file.empty()) frame["file"] = of.file;
      if (!of.file.empty() && node.line > 0) frame["line"] = node.line;
      list_.push_back(std::move(frame));
    }
    return known->second;
  }
  std::size_t waiting() {
    const auto [known, is_new] = known_.try_emplace({-1, 0}, list_.size());
    if (is_new) list_.push_back({{"name", kWaitingFrame}});
    return known->second;
  }
  [[nodiscard]] const json& list() const { return list_; }

private:
  const samples::CallTree& tree_;
  std::map<std::pair<int, int>, std::size_t> known_;
  json list_ = json::array();
};

json profile_of(const samples::CallTree& tree, std::size_t thread, Frames& frames) {
  json stacks = json::array();
  json weights = json::array();
  double end = 0;
  for (const samples::NodeCount& count : tree.counts) {
    if (static_cast<std::size_t>(count.thread) != thread) continue;
    json stack = json::array();
    std::vector<int> nodes = stack_of(tree, count.node);
    std::ranges::reverse(nodes);
    for (const int at : nodes) {
      stack.push_back(frames.index_of(tree.nodes[static_cast<std::size_t>(at)]));
    }
    if (count.state == samples::State::waiting) stack.push_back(frames.waiting());
    const double seconds = static_cast<double>(count.samples) / tree.rate_hz;
    stacks.push_back(std::move(stack));
    weights.push_back(seconds);
    end += seconds;
  }
  const samples::SampledThread& of = tree.threads[thread];
  return {{"type", "sampled"},
          {"name", fmt::format("rank {}, thread {}", of.rank, of.thread)},
          {"unit", "seconds"},
          {"startValue", 0},
          {"endValue", end},
          {"samples", std::move(stacks)},
          {"weights", std::move(weights)}};
}

}  // namespace

Result write_speedscope(const SampleRequest& request) {
  const samples::CallTree& tree = request.tree;
  Frames frames(tree);
  json profiles = json::array();
  for (std::size_t thread = 0; thread < tree.threads.size(); ++thread) {
    if (!is_exported(request, static_cast<int>(thread))) continue;
    profiles.push_back(profile_of(tree, thread, frames));
  }
  const json file = {{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                     {"exporter", "plait"},
                     {"activeProfileIndex", 0},
                     {"shared", {{"frames", frames.list()}}},
                     {"profiles", std::move(profiles)}};
  OutputFile out(request.output, request.replace);
  out.put(file.dump(-1, ' ', false, json::error_handler_t::replace));
  Result result;
  result.bytes = out.close();
  result.notes.emplace_back(
      "the order of samples in time is not known: use the views Left Heavy "
      "and Sandwich");
  result.next = "open the file at speedscope.app, which loads it in the browser only";
  return result;
}

}  // namespace plait::exports
