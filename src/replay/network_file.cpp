// SPDX-License-Identifier: BSD-3-Clause
// Networks as JSON files: the settings of a list, measured one-way times, costs of collectives.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_file.hpp"
#include "plait/error.hpp"
#include "replay/network_text.hpp"

namespace plait::replay {
namespace {

using nlohmann::json;

/// [[bytes, seconds], ...], ascending.
std::vector<std::pair<std::uint64_t, double>> curve(const json& from, const std::string& file) {
  auto points = from.get<std::vector<std::pair<std::uint64_t, double>>>();
  std::sort(points.begin(), points.end());
  const auto twice =
      std::adjacent_find(points.begin(), points.end(),
                         [](const auto& a, const auto& b) { return a.first == b.first; });
  const bool bad = std::any_of(points.begin(), points.end(),
                               [](const auto& point) { return !(point.second >= 0); });
  if (bad || twice != points.end()) {
    throw Error(file, "a curve has a negative time, or a size twice",
                "write [[bytes, seconds], ...]");
  }
  return points;
}

/// "latency=2us,..." of an object whose values are texts as in a list of settings.
std::string settings(const json& of, const std::string& prefix) {
  std::string list;
  for (const auto& [name, value] : of.items()) {
    if (value.is_string()) {
      list +=
          fmt::format("{}{}{}={}", list.empty() ? "" : ",", prefix, name, value.get<std::string>());
    }
  }
  return list;
}

}  // namespace

Network network_file(const std::filesystem::path& path) {
  const json file = read_json_file(path, kNetworkSchema, kNetworkSchemaVersion);
  try {
    std::string list;
    const auto add = [&](const std::string& more) {
      list += (list.empty() || more.empty() ? "" : ",") + more;
    };
    const json within = file.value("within_node", json::object());
    const json between = file.value("between_nodes", json::object());
    add(settings(within, "node."));
    add(settings(between, "net."));
    add(settings(file.value("settings", json::object()), ""));
    const json costs = file.value("collective_curve", json::array());
    Network network = network_by_hand(list);
    network.name = file.value("name", path.filename().string());
    network.within_node.known = !within.empty();
    network.between_nodes.known = !between.empty();
    if (within.contains("measured")) {
      network.within_node.measured = curve(within["measured"], path.string());
    }
    if (between.contains("measured")) {
      network.between_nodes.measured = curve(between["measured"], path.string());
    }
    network.collective_curve = curve(costs, path.string());
    if (!network.collective_curve.empty()) network.collectives = Collectives::kCurve;
    return network;
  } catch (const json::exception& error) {
    throw Error(path.string(), fmt::format("is no network file ({})", error.what()),
                "docs/replay.md shows one");
  }
}

}  // namespace plait::replay
