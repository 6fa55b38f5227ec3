// SPDX-License-Identifier: BSD-3-Clause
// Networks as a person writes them: a list of settings.
#include "replay/network_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/quantity.hpp"
#include "plait/error.hpp"

namespace plait::replay {
namespace {

constexpr const char* kExample = "write it as latency=2us,bandwidth=10GB/s,eager=64KiB";

double seconds_or_none(const std::string& text) {
  return text == "0" ? 0 : parse_seconds(text);
}

double seconds_per_byte(const std::string& text) {
  return text == "inf" ? 0 : 1 / parse_bytes_per_second(text);
}

/// A setting of a path; false when there is none of that name.
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
struct Word {
  const char* name;
  Value value;
};

constexpr Word<Progress> kProgress[] = {{"in-call", Progress::kInCall},
                                        {"thread", Progress::kThread},
                                        {"hardware", Progress::kHardware}};
constexpr Word<Sharing> kSharing[] = {{"fifo", Sharing::kFifo}, {"fair", Sharing::kFair}};
constexpr Word<bool> kCards[] = {{"node", true}, {"rank", false}};
constexpr Word<Collectives> kCollectives[] = {{"algorithms", Collectives::kAlgorithms},
                                              {"dependencies", Collectives::kDependencies},
                                              {"curve", Collectives::kCurve}};

template <class Value, std::size_t n>
Value word(const Word<Value> (&words)[n], const std::string& setting, const std::string& text) {
  std::string names;
  for (const Word<Value>& known : words) {
    if (text == known.name) return known.value;
    names += (names.empty() ? "" : ", ") + std::string(known.name);
  }
  throw Error(setting + "=" + text, "is no such setting of a network", "choose among " + names);
}

template <class Value, std::size_t n>
const char* name_of(const Word<Value> (&words)[n], Value value) {
  return std::find_if(std::begin(words), std::end(words),
                      [&](const Word<Value>& known) { return known.value == value; })
      ->name;
}

/// "1:1.8:2" as P(k)/P(1).
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
  throw Error("speedup=" + text, "is no list of P(k)/P(1)", "write it as speedup=1:1.9:2.5");
}

void set(Network& network, const std::string& name, const std::string& value) {
  if (name == "progress") {
    network.progress = word(kProgress, name, value);
  } else if (name == "sharing") {
    network.sharing = word(kSharing, name, value);
  } else if (name == "cards") {
    network.shared_cards = word(kCards, name, value);
  } else if (name == "collectives") {
    network.collectives = word(kCollectives, name, value);
    if (network.collectives == Collectives::kCurve) {
      throw Error("collectives=curve", "the curve does not fit into a list of settings",
                  "give it in a network file (docs/replay.md)");
    }
  } else if (name == "speedup") {
    network.node_speedup = parse_speedup(value);
  } else {
    throw Error(name, "is no setting of a network",
                "known are latency, bandwidth, overhead, copy, gap, eager (node. or net. before "
                "them for one path), progress, sharing, cards, collectives, speedup");
  }
}

}  // namespace

std::uint64_t message_bytes(const std::string& text) {
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error == std::errc{} && end == text.data() + text.size()) return bytes;
  return static_cast<std::uint64_t>(std::llround(parse_bytes(text)));
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
  if (text.ends_with(',')) throw Error(text, "is no list of settings", kExample);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string part(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals + 1 == part.size()) {
      throw Error(part.empty() ? text : part, "is no setting of a network", kExample);
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
  // Settings of one path hold wherever they stand.
  for (const auto& [name, value] : of_one_path) {
    const std::size_t dot = name.find('.');
    Path& path = dot == 4 ? network.within_node : network.between_nodes;
    if (!set(path, name.substr(dot + 1), value)) set(network, name, value);
  }
  return network;
}

}  // namespace plait::replay
