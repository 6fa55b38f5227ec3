// SPDX-License-Identifier: BSD-3-Clause
// The nodes of a measurement, as reported by the ranks of the probe, and the cores that ranks use.
#include "measure/nodes.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "launcher/slurm_allocation.hpp"
#include "plait/error.hpp"

namespace plait::measure {
namespace {

std::vector<NodeCore> cores_of(const ProbeOutput::Place& place) {
  std::vector<NodeCore> cores;
  for (const auto& [pu, core, package] : place.pus) {
    const NodeCore found{pu, core, package};
    const bool known = core >= 0 && std::any_of(cores.begin(), cores.end(), [&](const NodeCore& c) {
                         return c.core == found.core && c.package == found.package;
                       });
    if (!known) cores.push_back(found);
  }
  std::stable_sort(cores.begin(), cores.end(), [](const NodeCore& a, const NodeCore& b) {
    return std::pair(a.package, a.core) < std::pair(b.package, b.core);
  });
  return cores;
}

std::vector<std::string> hosts_of_allocation() {
  const auto allocation = launcher::slurm_allocation();
  if (!allocation) {
    throw Error("--nodes slurm", "this is not a Slurm job", "give the nodes: --nodes n0,n1");
  }
  return launcher::node_names(*allocation);
}

}  // namespace

std::vector<NodePlace> nodes_of(const std::vector<ProbeOutput::Place>& places) {
  std::vector<NodePlace> nodes;
  for (const ProbeOutput::Place& place : places) {
    const bool known = std::any_of(nodes.begin(), nodes.end(),
                                   [&](const NodePlace& node) { return node.name == place.host; });
    if (!known) nodes.push_back({place.host, cores_of(place)});
  }
  return nodes;
}

std::vector<int> fill(const NodePlace& node, int count, Filling filling) {
  std::vector<int> order(node.cores.size());
  std::map<int, int> in_package;
  std::vector<int> turn;
  for (std::size_t i = 0; i < node.cores.size(); ++i) {
    order[i] = static_cast<int>(i);
    turn.push_back(in_package[node.cores[i].package]++);
  }
  if (filling == Filling::spread) {
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return turn[static_cast<std::size_t>(a)] < turn[static_cast<std::size_t>(b)];
    });
  }
  order.resize(static_cast<std::size_t>(count));
  return order;
}

int most_on_a_package(const NodePlace& node, const std::vector<int>& places) {
  std::map<int, int> in_package;
  int most = 0;
  for (const int place : places) {
    most = std::max(most, ++in_package[node.cores[static_cast<std::size_t>(place)].package]);
  }
  return most;
}

std::vector<std::string> parse_nodes(const std::string& text) {
  if (text == "slurm") return hosts_of_allocation();
  std::vector<std::string> nodes;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    if (item.empty()) continue;
    if (std::find(nodes.begin(), nodes.end(), item) != nodes.end()) {
      throw Error("--nodes " + text, item + " occurs twice", "give each node once");
    }
    nodes.push_back(item);
  }
  if (nodes.empty()) throw Error("--nodes", "the list is empty", "give a list such as n0,n1");
  return nodes;
}

}  // namespace plait::measure
