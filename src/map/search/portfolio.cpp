// SPDX-License-Identifier: BSD-3-Clause
// Refines, rates and compares the candidates.
#include "map/search/portfolio.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace plait::map {
namespace {

using Figures = std::array<double, 4>;

Figures figures(const Score& score, Goal goal) {
  switch (goal) {
    case Goal::exchange_time:
      return {score.time_s, score.cut, score.busiest_node, score.distance};
    case Goal::cut:
      return {score.cut, score.busiest_node, score.time_s, score.distance};
    case Goal::distance:
      break;
  }
  return {score.distance, score.cut, score.busiest_node, score.time_s};
}

}  // namespace

bool better(const Score& a, const Score& b, Goal goal) {
  constexpr double rounding = 1e-9;  // sums of the same terms in another order differ by less
  const Figures left = figures(a, goal);
  const Figures right = figures(b, goal);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double tolerance = rounding * std::max(std::abs(left[i]), std::abs(right[i]));
    if (std::abs(left[i] - right[i]) > tolerance) return left[i] < right[i];
  }
  return false;
}

double clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Portfolio::Portfolio(const Problem& problem) : problem_(problem), best_slots_(problem.now) {
  const double begin = clock_s();
  best_ = score_of(problem.request, best_slots_);
  candidates_.push_back({"observed", best_, clock_s() - begin});
}

double Portfolio::share() const {
  constexpr double candidates = 10;
  return problem_.visits / candidates;
}

void Portfolio::enter(const std::string& method, std::vector<int> node_of, double since) {
  if (std::find(seen_.begin(), seen_.end(), node_of) != seen_.end()) return;
  seen_.push_back(node_of);
  Partition partition(problem_.graph, problem_.capacity, std::move(node_of), problem_.aim);
  refine(partition, static_cast<std::int64_t>(share()));
  enter_slots(method, slots_for(problem_, partition.of_process()), since);
}

void Portfolio::enter_slots(const std::string& method, std::vector<int> slot_of, double since) {
  const Score score = score_of(problem_.request, slot_of);
  if (better(score, best_, problem_.request.goal)) {
    best_ = score;
    best_slots_ = std::move(slot_of);
    best_method_ = method;
  }
  candidates_.push_back({method, score, clock_s() - since});
}

MappingResult Portfolio::result() const {
  MappingResult result;
  result.slot_of = best_slots_;
  result.method = best_method_;
  result.before = candidates_.front().score;
  result.after = best_;
  result.candidates = candidates_;
  result.nothing_to_gain = !better(best_, result.before, problem_.request.goal);
  return result;
}

}  // namespace plait::map
