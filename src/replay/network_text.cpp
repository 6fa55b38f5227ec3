// SPDX-License-Identifier: BSD-3-Clause
// Parses networks: a list of settings, or a JSON file.
#include "replay/network_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/json_file.hpp"
#include "base/quantity.hpp"
#include "plait/error.hpp"

namespace plait::replay {
namespace {

constexpr const char* kExample = "write it as latency=2us,bandwidth=10GB/s,eager=64KiB";
constexpr const char* kSeeExample = "see docs/explanation/replay.md for an example";

double seconds_or_none(const std::string& text) {
  return text == "0" ? 0 : parse_seconds(text);
}

double seconds_per_byte(const std::string& text) {
  return text == "inf" ? 0 : 1 / parse_bytes_per_second(text);
}

/// Sets a property of a path; returns false when the name is unknown.
bool set(Path& path, const std::string& name, const std::string& value) {
  if (name == "latency") {
    path.latency_s = seconds_or_none(value);
  } else if (name == "bandwidth") {
    path.seconds_per_byte = seconds_per_byte(value);
  } else if (name == "overhead") {
    path.overhead_s = seconds_or_none(value);
  } else if (name == "copy") {
    path.overhead_per_byte_s = seconds_per_byte(value);
  } else if (name == "gap") {
    path.gap_s = seconds_or_none(value);
  } else if (name == "eager") {
    path.eager_limit = value == "all" ? ~std::uint64_t{0} : message_bytes(value);
  } else {
    return false;
  }
  return true;
}

template <class Value>
struct Named {
  const char* name;
  Value value;
};

constexpr Named<Progress> kProgress[] = {
    {"in-call", Progress::in_call}, {"thread", Progress::thread}, {"hardware", Progress::hardware}};
constexpr Named<Sharing> kSharing[] = {{"fifo", Sharing::fifo}, {"fair", Sharing::fair}};
constexpr Named<bool> kCards[] = {{"node", true}, {"rank", false}};
constexpr Named<Collectives> kCollectives[] = {{"algorithms", Collectives::algorithms},
                                               {"dependencies", Collectives::dependencies},
                                               {"curve", Collectives::curve}};

template <class Value, std::size_t n>
Value value_of(const Named<Value> (&values)[n], const std::string& setting,
               const std::string& text) {
  std::string names;
  for (const Named<Value>& known : values) {
    if (text == known.name) return known.value;
    names += (names.empty() ? "" : ", ") + std::string(known.name);
  }
  throw Error(setting + "=" + text, "unknown value", "choose one of " + names);
}

template <class Value, std::size_t n>
const char* name_of(const Named<Value> (&values)[n], Value value) {
  return std::find_if(std::begin(values), std::end(values),
                      [&](const Named<Value>& known) { return known.value == value; })
      ->name;
}

/// P(k)/P(1) from "1:1.8:2".
std::vector<double> parse_speedup(const std::string& text) {
  std::vector<double> speedup;
  std::string_view rest = text;
  while (!rest.empty()) {
    double value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc{} || value <= 0 || !std::isfinite(value)) break;
    speedup.push_back(value);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (rest.empty() && speedup.front() == 1) return speedup;
    if (!rest.starts_with(':')) break;
    rest.remove_prefix(1);
  }
  throw Error("speedup=" + text, "not a list of P(k)/P(1) that starts with 1",
              "write it as speedup=1:1.9:2.5");
}

void set(Network& network, const std::string& name, const std::string& value) {
  if (name == "progress") {
    network.progress = value_of(kProgress, name, value);
  } else if (name == "sharing") {
    network.sharing = value_of(kSharing, name, value);
  } else if (name == "cards") {
    network.shared_cards = value_of(kCards, name, value);
  } else if (name == "collectives") {
    network.collectives = value_of(kCollectives, name, value);
    if (network.collectives == Collectives::curve) {
      throw Error("collectives=curve", "a curve cannot be part of a list of settings",
                  "write a network file (docs/explanation/replay.md)");
    }
  } else if (name == "speedup") {
    network.node_speedup = parse_speedup(value);
  } else {
    throw Error(
        name, "unknown setting of a network",
        "use latency, bandwidth, overhead, copy, gap, eager (with node. or net. in front for "
        "one path), progress, sharing, cards, collectives or speedup");
  }
}

using nlohmann::json;

/// [[bytes, seconds], ...], ascending.
std::vector<std::pair<std::uint64_t, double>> curve(const json& from) {
  auto points = from.get<std::vector<std::pair<std::uint64_t, double>>>();
  std::sort(points.begin(), points.end());
  const auto twice =
      std::adjacent_find(points.begin(), points.end(),
                         [](const auto& a, const auto& b) { return a.first == b.first; });
  const bool bad = std::any_of(points.begin(), points.end(),
                               [](const auto& point) { return !(point.second >= 0); });
  if (bad || twice != points.end()) {
    throw JsonError("a curve has a negative time or a duplicate size");
  }
  return points;
}

/// The strings of an object as a list of settings: "latency=2us,...".
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

std::uint64_t message_bytes(const std::string& text) {
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error == std::errc{} && end == text.data() + text.size()) return bytes;
  const double rounded = std::round(parse_bytes(text));
  if (rounded >= 0x1p63) throw Error(text, "too large for a message", "give fewer bytes");
  return static_cast<std::uint64_t>(rounded);
}

const char* to_string(Progress progress) {
  return name_of(kProgress, progress);
}

const char* to_string(Sharing sharing) {
  return name_of(kSharing, sharing);
}

const char* to_string(Collectives collectives) {
  return name_of(kCollectives, collectives);
}

Network network_by_hand(const std::string& text) {
  Network network;
  network.name = text;
  std::vector<std::pair<std::string, std::string>> of_one_path;
  if (text.ends_with(',')) throw Error(text, "not a list of settings", kExample);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string part(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals + 1 == part.size()) {
      throw Error(part.empty() ? text : part, "not a setting of a network", kExample);
    }
    const std::string name = part.substr(0, equals), value = part.substr(equals + 1);
    if (name.starts_with("node.") || name.starts_with("net.")) {
      of_one_path.emplace_back(name, value);
    } else if (set(network.within_node, name, value)) {
      set(network.between_nodes, name, value);
    } else {
      set(network, name, value);
    }
  }
  // Settings of one path override those of both, whatever their order.
  for (const auto& [name, value] : of_one_path) {
    const std::size_t dot = name.find('.');
    Path& path = dot == 4 ? network.within_node : network.between_nodes;
    if (!set(path, name.substr(dot + 1), value)) set(network, name, value);
  }
  return network;
}

Network network_file(const std::filesystem::path& path) {
  const json file = read_json_file(path, kNetworkSchema, kNetworkSchemaVersion, kSeeExample);
  return convert_json(path, kSeeExample, [&] {
    std::string list;
    const auto add = [&](const std::string& more) {
      list += (list.empty() || more.empty() ? "" : ",") + more;
    };
    const json within = file.value("within_node", json::object());
    const json between = file.value("between_nodes", json::object());
    add(settings(within, "node."));
    add(settings(between, "net."));
    add(settings(file.value("settings", json::object()), ""));
    Network network = network_by_hand(list);
    network.name = file.value("name", path.filename().string());
    network.within_node.known = !within.empty();
    network.between_nodes.known = !between.empty();
    if (within.contains("measured")) network.within_node.measured = curve(within["measured"]);
    if (between.contains("measured")) network.between_nodes.measured = curve(between["measured"]);
    network.collective_curve = curve(file.value("collective_curve", json::array()));
    if (!network.collective_curve.empty()) network.collectives = Collectives::curve;
    return network;
  });
}

}  // namespace plait::replay
