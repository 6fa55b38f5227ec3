// SPDX-License-Identifier: BSD-3-Clause
// Sizes at which a message inside a node and one between nodes cost the same.
#include "machine/equal_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "text/units.hpp"

namespace plait::machine {
namespace {

/// Microseconds by size.
std::map<std::uint64_t, double> times_of(const Path& path) {
  std::map<std::uint64_t, double> times;
  for (const CurvePoint& point : usable_points(path.mpi_pingpong)) {
    times[point.bytes] = point.half_round_trip_us.median;
  }
  return times;
}

/// A size that was measured on both paths.
struct Compared {
  double bytes;
  double ratio;  ///< time between nodes / time inside
};

/// The size with ratio 1 between two, where the logarithms are on a line.
double size_of_equal_cost(const Compared& before, const Compared& after) {
  const double part = std::log(before.ratio) / (std::log(before.ratio) - std::log(after.ratio));
  const double low = std::log(std::max(1.0, before.bytes));
  return std::exp(low + part * (std::log(after.bytes) - low));
}

}  // namespace

std::vector<EqualCost> equal_costs(const Measured& measured) {
  std::vector<EqualCost> costs;
  const auto network = std::find_if(measured.paths.begin(), measured.paths.end(),
                                    [](const Path& path) { return path.id == "network"; });
  if (network == measured.paths.end()) return costs;
  const std::map<std::uint64_t, double> between = times_of(*network);
  for (const Path& path : measured.paths) {
    if (path.id == "network") continue;
    std::vector<Compared> compared;
    for (const auto& [bytes, inside_us] : times_of(path)) {
      const auto same = between.find(bytes);
      if (same == between.end() || inside_us <= 0 || same->second <= 0) continue;
      compared.push_back({static_cast<double>(bytes), same->second / inside_us});
    }
    if (compared.empty()) continue;
    EqualCost cost{path.name, {}, static_cast<std::uint64_t>(compared.back().bytes)};
    std::size_t first = compared.size();
    while (first > 0 && compared[first - 1].ratio <= 1) --first;
    if (first < compared.size()) {
      cost.from_bytes =
          first == 0 ? compared[0].bytes : size_of_equal_cost(compared[first - 1], compared[first]);
    }
    costs.push_back(cost);
  }
  return costs;
}

std::string equal_cost_sentence(const EqualCost& cost) {
  if (!cost.from_bytes) {
    return fmt::format("Messages of up to {} cost less inside the node ({}) than between nodes",
                       format_bytes(static_cast<double>(cost.longest_bytes)), cost.path);
  }
  return fmt::format("Messages from {} on cost no more between nodes than inside the node ({})",
                     format_bytes(*cost.from_bytes), cost.path);
}

}  // namespace plait::machine
