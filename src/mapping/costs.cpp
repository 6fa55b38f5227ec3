// SPDX-License-Identifier: BSD-3-Clause
// Takes the costs of messages from a machine file.
#include "mapping/costs.hpp"

#include <array>
#include <optional>
#include <string_view>

#include "machine/figure_checks.hpp"
#include "model/jacobi_inputs.hpp"

namespace plait::mapping {
namespace {

/// The message size at which bandwidths are taken.
constexpr std::uint64_t kLongMessage = std::uint64_t{1} << 20;

/// The costs of a path with their interval.
struct PathRange {
  PathCost middle, low, high;
};

PathRange range_of(const model::Interval& latency_s, const model::Interval& bytes_per_s) {
  return {{latency_s.value, 1 / bytes_per_s.value},
          {latency_s.low, 1 / bytes_per_s.high},
          {latency_s.high, 1 / bytes_per_s.low}};
}

/// The first of these paths that was measured.
const machine::Path* path_of(const machine::Measured& measured,
                             std::initializer_list<std::string_view> ids) {
  for (const std::string_view id : ids) {
    for (const machine::Path& path : measured.paths) {
      if (path.id == id && model::link_of(path, kLongMessage)) return &path;
    }
  }
  return nullptr;
}

std::array<const machine::Path*, kLevels> paths_inside(const machine::Measured& measured) {
  std::array<const machine::Path*, kLevels> paths = {
      path_of(measured, {"node"}), path_of(measured, {"package"}), path_of(measured, {"numa"}),
      path_of(measured, {"l5", "l4", "l3", "l2", "l1"}), path_of(measured, {"smt"})};
  for (std::size_t level = 1; level < kLevels; ++level) {
    if (paths[level] == nullptr) paths[level] = paths[level - 1];
  }
  for (std::size_t level = kLevels - 1; level-- > 0;) {
    if (paths[level] == nullptr) paths[level] = paths[level + 1];
  }
  return paths;
}

void set_path(CostsRange& range, std::size_t level, const PathRange& path) {
  range.middle.path[level] = path.middle;
  range.low.path[level] = path.low;
  range.high.path[level] = path.high;
}

void set_card(CostsRange& range, const machine::Path& network, const model::Link& link) {
  range.middle.card.seconds_per_byte = 1 / link.several_bytes_per_s.value;
  range.low.card.seconds_per_byte = 1 / link.several_bytes_per_s.high;
  range.high.card.seconds_per_byte = 1 / link.several_bytes_per_s.low;
  if (!network.loggp || !network.loggp->gap_s.measured) return;
  const machine::Estimate& gap = network.loggp->gap_s;
  range.middle.card.seconds = gap.value;
  range.low.card.seconds = gap.low;
  range.high.card.seconds = gap.high;
}

}  // namespace

CostsRange costs_range_of(const machine::Measured& measured, const std::string& name) {
  CostsRange range = default_costs_range();
  range.from = name;
  range.notes = machine::reliability_notes(measured);
  const std::array<const machine::Path*, kLevels> inside = paths_inside(measured);
  for (std::size_t level = 0; level < kLevels; ++level) {
    if (inside[level] == nullptr) continue;
    const model::Link link = model::link_of(*inside[level], kLongMessage).value();
    set_path(range, level, range_of(link.latency_s, link.pair_bytes_per_s));
  }
  const machine::Path* const network = path_of(measured, {"network"});
  range.measured = network != nullptr;
  if (network == nullptr) return range;
  const model::Link link = model::link_of(*network, kLongMessage).value();
  set_path(range, kLevels, range_of(link.latency_s, link.pair_bytes_per_s));
  set_card(range, *network, link);
  return range;
}

Costs costs_of(const machine::Measured& measured) {
  return costs_range_of(measured, "").middle;
}

}  // namespace plait::mapping
