// SPDX-License-Identifier: BSD-3-Clause
// Keeps the sums of a partition up to date when a process moves.
#include "mapping/search/partition.hpp"

#include <algorithm>
#include <cmath>

namespace plait::mapping {
namespace {

/// Sums of the same terms in a different order differ by less than this.
constexpr double kRounding = 1e-9;

int compare(double a, double b) {
  const double tolerance = kRounding * std::max(std::abs(a), std::abs(b));
  if (a < b - tolerance) return -1;
  return a > b + tolerance ? 1 : 0;
}

}  // namespace

bool better(const Rating& a, const Rating& b) {
  const int first = compare(a.first, b.first);
  return first < 0 || (first == 0 && compare(a.second, b.second) < 0);
}

Partition::Partition(const WeightedGraph& graph, const std::vector<int>& capacity,
                     std::vector<int> part, Aim aim, const std::vector<int>* sizes)
    : graph_(&graph),
      sizes_(sizes),
      aim_(aim),
      part_(std::move(part)),
      room_(capacity),
      load_(capacity.size(), 0) {
  for (int process = 0; process < graph.size(); ++process) {
    const auto own = static_cast<std::size_t>(of(process));
    room_[own] -= size_of(process);
    for (const Arc& arc : graph.of(process)) {
      if (of(arc.to) == of(process)) continue;
      load_[own] += arc.load;
      cut_ += arc.weight / 2;
    }
  }
}

double Partition::largest_load() const {
  return load_.empty() ? 0 : *std::max_element(load_.begin(), load_.end());
}

void Partition::move(int process, int to) {
  const int from = of(process);
  double& from_load = load_[static_cast<std::size_t>(from)];
  double& to_load = load_[static_cast<std::size_t>(to)];
  for (const Arc& arc : graph_->of(process)) {
    const int other = of(arc.to);
    if (other == from) {
      cut_ += arc.weight;
      from_load += arc.load;
      to_load += arc.load;
    } else if (other == to) {
      cut_ -= arc.weight;
      from_load -= arc.load;
      to_load -= arc.load;
    } else {
      from_load -= arc.load;
      to_load += arc.load;
    }
  }
  room_[static_cast<std::size_t>(from)] += size_of(process);
  room_[static_cast<std::size_t>(to)] -= size_of(process);
  part_[static_cast<std::size_t>(process)] = to;
}

}  // namespace plait::mapping
