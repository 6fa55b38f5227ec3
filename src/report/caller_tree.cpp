// SPDX-License-Identifier: BSD-3-Clause
// The calls of each MPI function by their callers, as a tree.
#include "report/caller_tree.hpp"

#include <algorithm>
#include <map>

#include "report/site_text.hpp"
#include "trace/frame_text.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

constexpr std::size_t kMostFrames = 64;  // of a path; the record has fewer, but also inlined ones

/// A tree with one frame per node.
struct Node {
  std::uint64_t count = 0, bytes = 0;
  double time_s = 0;
  std::map<std::string, Node> callers;
};

void add(Node& node, const SiteRow& site) {
  node.count += site.count;
  node.bytes += site.bytes;
  node.time_s += site.time_s;
}

std::vector<CallerNode> by_time(const std::map<std::string, Node>& nodes);

CallerNode merged(const std::string& name, const Node& first) {
  CallerNode of{{name}, first.count, first.bytes, first.time_s, {}};
  const Node* node = &first;
  // A single caller of some of the calls only is a branch: the other paths end here.
  while (node->callers.size() == 1 && node->callers.begin()->second.count == node->count) {
    of.frames.push_back(node->callers.begin()->first);
    node = &node->callers.begin()->second;
  }
  of.callers = by_time(node->callers);
  return of;
}

std::vector<CallerNode> by_time(const std::map<std::string, Node>& nodes) {
  std::vector<CallerNode> all;
  for (const auto& [name, node] : nodes) all.push_back(merged(name, node));
  std::stable_sort(all.begin(), all.end(),
                   [](const CallerNode& a, const CallerNode& b) { return a.time_s > b.time_s; });
  return all;
}

}  // namespace

std::vector<CallerNode> caller_tree(const Profile& profile) {
  std::map<std::string, Node> calls;
  for (const SiteRow& site : profile.sites) {
    if (starts_or_ends_mpi(site.call)) continue;
    Node* node = &calls[site.call];
    add(*node, site);
    for (std::size_t i = 0; i < std::min(site.frames.size(), kMostFrames); ++i) {
      node = &node->callers[trace::site_place({site.frames[i]})];
      add(*node, site);
    }
  }
  return by_time(calls);
}

json caller_tree_to_json(const std::vector<CallerNode>& trees) {
  json all = json::array();
  for (const CallerNode& node : trees) {
    all.push_back({{"frames", node.frames},
                   {"count", node.count},
                   {"bytes", node.bytes},
                   {"time_s", node.time_s},
                   {"callers", caller_tree_to_json(node.callers)}});
  }
  return all;
}

}  // namespace plait::report
