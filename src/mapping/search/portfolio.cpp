// SPDX-License-Identifier: BSD-3-Clause
// Rates starts, refines the best of them, then anneals and arranges the results.
#include "mapping/search/portfolio.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include "mapping/search/anneal.hpp"
#include "mapping/search/arrange.hpp"
#include "mapping/search/refine.hpp"

namespace plait::mapping {
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
  constexpr double rounding = 1e-9;  // sums of the same terms in a different order differ by less
  const Figures left = figures(a, goal);
  const Figures right = figures(b, goal);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double tolerance = rounding * std::max(std::abs(left[i]), std::abs(right[i]));
    if (std::abs(left[i] - right[i]) > tolerance) return left[i] < right[i];
  }
  return false;
}

double clock_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

Portfolio::Portfolio(const Problem& problem)
    : problem_(problem), visits_left_(problem.visits), best_slots_(problem.now) {
  const double begin = clock_s();
  best_ = score_of(problem.request, best_slots_);
  if (!problem.alike_inside) best_distance_ = problem.distance_of(best_slots_);
  candidates_.push_back({"observed", best_, clock_s() - begin});
}

void Portfolio::enter(const std::string& method, std::vector<int> node_of, double since) {
  for (const Start& start : starts_) {
    if (start.node_of == node_of) return;
  }
  Partition partition(problem_.graph, problem_.capacity, node_of, problem_.aim);
  visits_left_ -= static_cast<double>(problem_.graph.arcs.size());
  starts_.push_back({method, std::move(node_of), partition.rating(), clock_s() - since});
}

void Portfolio::refine_best() {
  std::stable_sort(starts_.begin(), starts_.end(),
                   [](const Start& a, const Start& b) { return better(a.rating, b.rating); });
  // Kept for annealing and arranging afterwards.
  const double reserve = 0.5 * problem_.visits;
  // Starts this much worse than the best refined one seldom catch up.
  constexpr double hopeless = 1.6;
  double reached = -1;
  for (Start& start : starts_) {
    const double begin = clock_s();
    const bool promising =
        reached < 0 || start.rating.first <= hopeless * reached || problem_.processes() <= 200;
    if (visits_left_ > reserve && promising) {
      Partition partition(problem_.graph, problem_.capacity, std::move(start.node_of),
                          problem_.aim);
      const auto most = static_cast<std::int64_t>(visits_left_ - reserve);
      visits_left_ -= static_cast<double>(refine(partition, most));
      start.node_of = partition.of_process();
      start.rating = partition.rating();
      if (reached < 0 || start.rating.first < reached) reached = start.rating.first;
    }
    start.seconds += clock_s() - begin;
    refined_.push_back(std::move(start));
    const Start& done = refined_.back();
    rate(done.method, slots_for(problem_, done.node_of), done.seconds);
  }
  starts_.clear();
}

std::vector<const Portfolio::Start*> Portfolio::best_refined(std::size_t most) const {
  std::vector<const Start*> order;
  for (const Start& start : refined_) {
    const bool known = std::any_of(order.begin(), order.end(), [&](const Start* other) {
      return other->node_of == start.node_of;
    });
    if (!known) order.push_back(&start);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Start* a, const Start* b) { return better(a->rating, b->rating); });
  if (order.size() > most) order.resize(most);
  return order;
}

void Portfolio::anneal_best() {
  constexpr double trials_per_process = 100;  // fewer find nothing
  constexpr int most_processes = 3000;        // larger problems gain less than annealing costs
  if (problem_.processes() > most_processes) return;
  constexpr std::size_t runs = 2;
  const double pairs = static_cast<double>(problem_.graph.arcs.size()) / problem_.processes();
  const double visits_per_trial = pairs + 3;
  const double all =
      std::min(0.6 * std::max(visits_left_, 0.0) / visits_per_trial, 5000.0 * problem_.processes());
  if (all < runs * trials_per_process * problem_.processes()) return;
  unsigned seed = 1;
  std::vector<Start> annealed;  // not yet in refined_: best_refined() returns pointers into it
  for (const Start* start : best_refined(runs)) {
    const double begin = clock_s();
    Schedule schedule;
    schedule.trials = static_cast<std::int64_t>(all / runs);
    schedule.hot = seed == 1 ? 0.1 : 0.3;
    schedule.seed = seed++;
    Partition partition(problem_.graph, problem_.capacity,
                        anneal_nodes(problem_, start->node_of, schedule), problem_.aim);
    visits_left_ -= static_cast<double>(schedule.trials) * visits_per_trial;
    visits_left_ -= static_cast<double>(
        refine(partition, static_cast<std::int64_t>(std::max(visits_left_, 0.0))));
    Start done{"annealing", partition.of_process(), partition.rating(), clock_s() - begin};
    rate(done.method, slots_for(problem_, done.node_of), done.seconds);
    annealed.push_back(std::move(done));
  }
  std::move(annealed.begin(), annealed.end(), std::back_inserter(refined_));
}

void Portfolio::arrange_best() {
  if (problem_.alike_inside) return;
  const bool by_distance = problem_.request.goal == Goal::distance;
  const std::size_t most = by_distance && problem_.processes() <= 10000 ? 3 : 1;
  std::vector<std::vector<int>> arranged_slots;
  for (const Start* start : best_refined(most)) {
    const double begin = clock_s();
    std::vector<int> slot_of = arranged(problem_, start->node_of);
    exchange_inside(problem_, slot_of, 0.05 * problem_.visits);
    rate(start->method + " + levels", slot_of, clock_s() - begin);
    arranged_slots.push_back(std::move(slot_of));
  }
  constexpr int most_annealed = 1000;
  if (!by_distance || problem_.processes() > most_annealed) return;
  const double pairs = static_cast<double>(problem_.graph.arcs.size()) / problem_.processes();
  const double trials = std::min(0.3 * problem_.visits / (pairs + 3), 800.0 * problem_.processes());
  unsigned seed = 1;
  for (const std::vector<int>& slots : arranged_slots) {
    const double begin = clock_s();
    const Schedule schedule{
        static_cast<std::int64_t>(trials / static_cast<double>(arranged_slots.size())), 0.3,
        seed++};
    rate("annealing of slots", anneal_distance(problem_, slots, schedule), clock_s() - begin);
  }
}

void Portfolio::rate(const std::string& method, std::vector<int> slot_of, double seconds) {
  const Score score = score_of(problem_.request, slot_of);
  const double distance = problem_.alike_inside ? 0 : problem_.distance_of(slot_of);
  const Goal goal = problem_.request.goal;
  // Mappings with equal scores may still differ in the costs of messages inside nodes.
  const bool equal = !better(best_, score, goal);
  if (better(score, best_, goal) || (equal && distance < best_distance_)) {
    best_ = score;
    best_distance_ = distance;
    best_slots_ = std::move(slot_of);
    best_method_ = method;
  }
  candidates_.push_back({method, score, seconds});
}

MappingResult Portfolio::result() const {
  MappingResult result;
  result.before = candidates_.front().score;
  result.candidates = candidates_;
  result.nothing_to_gain = !better(best_, result.before, problem_.request.goal);
  result.slot_of = result.nothing_to_gain ? problem_.now : best_slots_;
  result.method = result.nothing_to_gain ? "observed" : best_method_;
  result.after = result.nothing_to_gain ? result.before : best_;
  return result;
}

}  // namespace plait::mapping
