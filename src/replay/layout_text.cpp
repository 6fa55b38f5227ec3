// SPDX-License-Identifier: BSD-3-Clause
// Parses placements, mappings and generated programs.
#include "replay/layout_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "base/quantity.hpp"
#include "model/jacobi_decomposition.hpp"
#include "plait/error.hpp"
#include "replay/network_text.hpp"

namespace plait::replay {
namespace {

using std::uint32_t;

constexpr uint32_t kUnset = ~0U;
constexpr uint32_t kMostRanks = 1U << 24;
constexpr const char* kPlacements = "write it as 0-3:a,4-7:b or nodes=2,cyclic";
constexpr const char* kHalos =
    "write it as halo,ranks=64,nodes=4,compute=10ms,faces=112.5KiB,iterations=10";
constexpr const char* kTransposesName = "transposes";
constexpr const char* kTransposes =
    "write it as transposes,ranks=64,nodes=4,compute=10ms,bytes=3MiB,iterations=10";

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<uint32_t> number(std::string_view text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

uint32_t number_of(const std::string& part, const std::string& text, const char* remedy) {
  const auto value = number(text);
  if (!value || *value == 0 || *value > kMostRanks) {
    throw Error(part, "not a number from 1 to 16777216", remedy);
  }
  return *value;
}

/// "name=value"; without a value, all of it is the name.
struct Setting {
  std::string part, name, value;
};

/// The settings behind the name of a generated program.
std::vector<Setting> settings_of(const std::string& text, const char* program, const char* remedy) {
  std::vector<std::string> parts = split(text, ',');
  if (parts[0] != program) throw Error(parts[0], "unknown program to generate", remedy);
  std::vector<Setting> settings;
  for (std::size_t at = 1; at < parts.size(); ++at) {
    const std::size_t equals = parts[at].find('=');
    settings.push_back({parts[at], parts[at].substr(0, equals),
                        equals == std::string::npos ? "" : parts[at].substr(equals + 1)});
  }
  return settings;
}

/// The settings that all generated programs have.
struct Common {
  uint32_t ranks = 0, nodes = 0, iterations = 10;
  double compute_s = 0;

  /// @return false: it is another setting
  bool take(const std::string& part, const std::string& name, const std::string& value,
            const char* remedy) {
    if (name == "ranks") {
      ranks = number_of(part, value, remedy);
    } else if (name == "nodes") {
      nodes = number_of(part, value, remedy);
    } else if (name == "iterations") {
      iterations = number_of(part, value, remedy);
    } else if (name == "compute") {
      compute_s = value == "0" ? 0 : parse_seconds(value);
    } else {
      return false;
    }
    return true;
  }

  [[nodiscard]] uint32_t ranks_per_node(const std::string& text, const char* remedy) const {
    if (ranks == 0) throw Error(text, "ranks= is missing", remedy);
    if (nodes > ranks) throw Error(text, "more nodes than ranks", "use fewer nodes");
    return nodes == 0 ? 1 : (ranks + nodes - 1) / nodes;
  }
};

std::vector<uint32_t> spread(const std::string& text, uint32_t ranks) {
  const std::vector<std::string> parts = split(text, ',');
  const uint32_t nodes = number_of(parts[0], parts[0].substr(6), kPlacements);
  const bool cyclic = parts.size() == 2 && parts[1] == "cyclic";
  if (parts.size() > 2 || (parts.size() == 2 && !cyclic && parts[1] != "block")) {
    throw Error(text, "not a placement", kPlacements);
  }
  const uint32_t per_node = (ranks + nodes - 1) / nodes;
  std::vector<uint32_t> node(ranks);
  for (uint32_t rank = 0; rank < ranks; ++rank)
    node[rank] = cyclic ? rank % nodes : rank / per_node;
  return node;
}

}  // namespace

std::vector<uint32_t> parse_placement(const std::string& text, uint32_t ranks) {
  if (text.starts_with("nodes=")) return spread(text, ranks);
  std::vector<uint32_t> node(ranks, kUnset);
  std::map<std::string, uint32_t> names;
  for (const std::string& part : split(text, ',')) {
    const std::size_t colon = part.find(':');
    const std::string who = part.substr(0, colon);
    const std::size_t dash = who.find('-');
    const auto first = number(std::string_view(who).substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : number(std::string_view(who).substr(dash + 1));
    if (colon == std::string::npos || colon + 1 == part.size() || !first || !last ||
        *first > *last) {
      throw Error(part, "not of the form RANKS:NODE", kPlacements);
    }
    if (*last >= ranks) {
      throw Error(part, fmt::format("the last rank is {}", ranks - 1), kPlacements);
    }
    const uint32_t index =
        names.try_emplace(part.substr(colon + 1), static_cast<uint32_t>(names.size()))
            .first->second;
    for (uint32_t rank = *first; rank <= *last; ++rank) {
      if (node[rank] != kUnset) {
        throw Error(part, fmt::format("rank {} already has a node", rank), "list each rank once");
      }
      node[rank] = index;
    }
  }
  const auto without = std::find(node.begin(), node.end(), kUnset);
  if (without != node.end()) {
    throw Error(text, fmt::format("rank {} has no node", without - node.begin()),
                fmt::format("list ranks 0 to {}", ranks - 1));
  }
  return node;
}

std::vector<uint32_t> parse_mapping(const std::string& text, const std::vector<uint32_t>& nodes) {
  std::vector<bool> listed(nodes.size());
  std::vector<uint32_t> mapped;
  for (const std::string& part : split(text, ',')) {
    const auto place = number(part);
    if (!place || *place >= nodes.size() || listed[*place]) {
      throw Error(part.empty() ? text : part, "not a rank, or listed twice",
                  fmt::format("list each of 0 to {} once: 1,0,3,2", nodes.size() - 1));
    }
    listed[*place] = true;
    mapped.push_back(nodes[*place]);
  }
  if (mapped.size() != nodes.size()) {
    throw Error(text, fmt::format("lists {} of {} ranks", mapped.size(), nodes.size()),
                "list one entry per rank");
  }
  return mapped;
}

HaloProgram parse_halo(const std::string& text) {
  HaloProgram halo;
  std::vector<std::string> grid;
  Common common;
  for (const auto& [part, name, value] : settings_of(text, "halo", kHalos)) {
    if (common.take(part, name, value, kHalos)) continue;
    if (part == "periodic") {
      halo.periodic = true;
    } else if (name == "grid") {
      grid = split(value, 'x');
      if (grid.size() != 3) throw Error(part, "not a grid", "write it as grid=4x4x2");
    } else if (name == "faces") {
      const std::vector<std::string> faces = split(value, ':');
      if (faces.size() != 1 && faces.size() != 3) {
        throw Error(part, "not one or three sizes", "write it as faces=8KiB:16KiB:16KiB");
      }
      for (std::size_t axis = 0; axis < 3; ++axis) {
        halo.face_bytes[axis] = message_bytes(faces[faces.size() == 1 ? 0 : axis]);
      }
    } else {
      throw Error(part, "unknown setting of a halo exchange", kHalos);
    }
  }
  if (!grid.empty()) {
    std::uint64_t product = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      halo.parts[axis] = number_of(grid[axis], grid[axis], "write it as grid=4x4x2");
      product *= halo.parts[axis];
    }
    if (product > kMostRanks || (common.ranks > 0 && product != common.ranks)) {
      throw Error(text,
                  fmt::format("the grid has {} positions for {} ranks", product, common.ranks),
                  "drop ranks= or grid=");
    }
    common.ranks = static_cast<uint32_t>(product);
  } else if (common.ranks > 0) {
    const int n = static_cast<int>(common.ranks);
    const model::Extents along = model::parts_for_nodes(n, {n, n, n});
    for (std::size_t axis = 0; axis < 3; ++axis)
      halo.parts[axis] = static_cast<uint32_t>(along[axis]);
  }
  halo.ranks_per_node = common.ranks_per_node(text, kHalos);
  halo.compute_s = common.compute_s;
  halo.iterations = common.iterations;
  return halo;
}

TransposeProgram parse_transposes(const std::string& text) {
  TransposeProgram transposes;
  Common common;
  for (const auto& [part, name, value] : settings_of(text, kTransposesName, kTransposes)) {
    if (common.take(part, name, value, kTransposes)) continue;
    if (name != "bytes") throw Error(part, "unknown setting of transposes", kTransposes);
    transposes.bytes = message_bytes(value);
  }
  transposes.ranks_per_node = common.ranks_per_node(text, kTransposes);
  transposes.ranks = common.ranks;
  transposes.compute_s = common.compute_s;
  transposes.iterations = common.iterations;
  return transposes;
}

std::unique_ptr<Program> generated_program(const std::string& text) {
  if (split(text, ',')[0] == kTransposesName) return transpose_program(parse_transposes(text));
  return halo_program(parse_halo(text));
}

}  // namespace plait::replay
