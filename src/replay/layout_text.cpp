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
  const std::vector<std::string> parts = split(text, ',');
  if (parts[0] != "halo") throw Error(parts[0], "unknown program to generate", kHalos);
  HaloProgram halo;
  uint32_t ranks = 0, nodes = 0;
  std::vector<std::string> grid;
  for (std::size_t at = 1; at < parts.size(); ++at) {
    const std::string& part = parts[at];
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
    if (name == "periodic" && equals == std::string::npos) {
      halo.periodic = true;
    } else if (name == "ranks") {
      ranks = number_of(part, value, kHalos);
    } else if (name == "nodes") {
      nodes = number_of(part, value, kHalos);
    } else if (name == "iterations") {
      halo.iterations = number_of(part, value, kHalos);
    } else if (name == "compute") {
      halo.compute_s = value == "0" ? 0 : parse_seconds(value);
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
    if (product > kMostRanks || (ranks > 0 && product != ranks)) {
      throw Error(text, fmt::format("the grid has {} positions for {} ranks", product, ranks),
                  "drop ranks= or grid=");
    }
    ranks = static_cast<uint32_t>(product);
  } else if (ranks > 0) {
    const int n = static_cast<int>(ranks);
    const model::Extents along = model::parts_for_nodes(n, {n, n, n});
    for (std::size_t axis = 0; axis < 3; ++axis)
      halo.parts[axis] = static_cast<uint32_t>(along[axis]);
  } else {
    throw Error(text, "ranks= is missing", kHalos);
  }
  if (nodes > ranks) throw Error(text, "more nodes than ranks", "use fewer nodes");
  halo.ranks_per_node = nodes == 0 ? 1 : (ranks + nodes - 1) / nodes;
  return halo;
}

}  // namespace plait::replay
