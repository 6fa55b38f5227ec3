// SPDX-License-Identifier: BSD-3-Clause
// Partitions graphs by recursive bisection and by greedy growth.
#include "mapping/search/multilevel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <queue>

#include "mapping/search/bisect.hpp"

namespace plait::mapping {
namespace {

class Halves {
public:
  Halves(const WeightedGraph& graph, const std::vector<int>& capacity, Fill fill, int tries,
         unsigned seed)
      : graph_(graph),
        capacity_(capacity),
        fill_(fill),
        tries_(tries),
        random_(seed),
        local_(static_cast<std::size_t>(graph.size()), -1),
        part_(local_.size(), 0) {}

  std::vector<int> run() {
    std::vector<int> all(part_.size());
    std::iota(all.begin(), all.end(), 0);
    split(all, 0, capacity_.size());
    return std::move(part_);
  }

private:
  [[nodiscard]] int held_by(std::size_t first, std::size_t last) const {
    int sum = 0;
    for (std::size_t part = first; part < last; ++part) sum += capacity_[part];
    return sum;
  }

  void split(const std::vector<int>& members, std::size_t first, std::size_t last) {
    if (members.empty()) return;
    if (last - first <= 1) {
      for (const int member : members) {
        part_[static_cast<std::size_t>(member)] = static_cast<int>(first);
      }
      return;
    }
    const std::size_t middle = (first + last) / 2;
    const int size = static_cast<int>(members.size());
    std::array<int, 2> capacity{std::min(size, held_by(first, middle)),
                                std::min(size, held_by(middle, last))};
    const double share = static_cast<double>(held_by(first, middle)) / held_by(first, last);
    const int target =
        std::clamp(static_cast<int>(std::lround(size * share)), size - capacity[1], capacity[0]);
    if (fill_ == Fill::even) capacity = {target, size - target};
    const std::vector<int> side =
        bisect(part_of_graph(graph_, members, local_), capacity, target, tries_, random_);
    std::array<std::vector<int>, 2> halves;
    for (std::size_t i = 0; i < members.size(); ++i) {
      halves[static_cast<std::size_t>(side[i])].push_back(members[i]);
    }
    // If the refinement ran out of time, move what exceeds a capacity in any order.
    for (const std::size_t full : {0, 1}) {
      while (static_cast<int>(halves[full].size()) > capacity[full]) {
        halves[1 - full].push_back(halves[full].back());
        halves[full].pop_back();
      }
    }
    split(halves[0], first, middle);
    split(halves[1], middle, last);
  }

  const WeightedGraph& graph_;
  const std::vector<int>& capacity_;
  Fill fill_;
  int tries_;
  Random random_;
  std::vector<int> local_;
  std::vector<int> part_;
};

}  // namespace

std::vector<int> recursive_bisection(const WeightedGraph& graph, const std::vector<int>& capacity,
                                     Fill fill, int tries, unsigned seed) {
  return Halves(graph, capacity, fill, tries, seed).run();
}

std::vector<int> greedy_growth(const WeightedGraph& graph, const std::vector<int>& size) {
  const auto processes = static_cast<std::size_t>(graph.size());
  std::vector<int> part(processes, -1);
  // Weight to the growing part minus weight to other free processes.
  std::vector<double> rating(processes, 0);
  for (std::size_t p = 0; p < processes; ++p) {
    for (const Arc& arc : graph.of(static_cast<int>(p))) rating[p] -= arc.weight;
  }
  // Free processes, those with the least weight to other free ones on top: corners, then processes
  // next to full parts.
  std::priority_queue<std::pair<double, int>> seeds;
  for (std::size_t p = 0; p < processes; ++p) seeds.emplace(rating[p], -static_cast<int>(p));
  for (std::size_t own = 0; own < size.size(); ++own) {
    std::priority_queue<std::pair<double, int>> next;
    std::vector<int> touched;
    for (int filled = 0; filled < size[own];) {
      auto& queue = next.empty() ? seeds : next;
      if (queue.empty()) break;
      const int process = -queue.top().second;
      const double known = queue.top().first;
      queue.pop();
      const auto p = static_cast<std::size_t>(process);
      if (part[p] >= 0 || known != rating[p]) continue;
      part[p] = static_cast<int>(own);
      ++filled;
      for (const Arc& arc : graph.of(process)) {
        const auto q = static_cast<std::size_t>(arc.to);
        if (part[q] >= 0) continue;
        rating[q] += 2 * arc.weight;
        next.emplace(rating[q], -arc.to);
        touched.push_back(arc.to);
      }
    }
    // The next part does not see pairs with this one.
    for (const int process : touched) {
      const auto q = static_cast<std::size_t>(process);
      if (part[q] >= 0) continue;
      rating[q] = 0;
      for (const Arc& arc : graph.of(process)) {
        if (part[static_cast<std::size_t>(arc.to)] < 0) rating[q] -= arc.weight;
      }
      seeds.emplace(rating[q], -process);
    }
  }
  return part;
}

}  // namespace plait::mapping
