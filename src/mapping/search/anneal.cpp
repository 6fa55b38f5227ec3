// SPDX-License-Identifier: BSD-3-Clause
// Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983) over exchanges of two slots.
#include "mapping/search/anneal.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "mapping/search/arrange.hpp"
#include "mapping/search/random.hpp"

namespace plait::mapping {
namespace {

/// Final temperature, in mean losses of an exchange.
constexpr double kCold = 0.03;
/// Steps of the temperature.
constexpr int kSteps = 60;

/// Approximates exp(-x) for x >= 0 by operations that every machine rounds alike.
double decay(double x) {
  const double part = x / 16;
  double power = 1 + part + part * part / 2;
  for (int i = 0; i < 4; ++i) power *= power;
  return 1 / power;
}

/// The process in each slot; -1: none.
std::vector<int> occupants(const std::vector<int>& slot_of, std::size_t slots) {
  std::vector<int> result(slots, -1);
  for (std::size_t p = 0; p < slot_of.size(); ++p) {
    result[static_cast<std::size_t>(slot_of[p])] = static_cast<int>(p);
  }
  return result;
}

/// Anneals any kind of energy. `Energy` computes what an exchange would change, carries it out, and
/// keeps its best state.
template <typename Energy>
void run(Energy& energy, const Schedule& schedule) {
  Random random(schedule.seed);
  // The mean loss of an exchange, from a sample.
  double losses = 0;
  int lossy = 0;
  for (int i = 0; i < 200; ++i) {
    if (!energy.propose(random)) continue;
    if (const double change = energy.change(); change > 0) {
      losses += change;
      ++lossy;
    }
  }
  if (lossy == 0) return;
  const double mean = losses / lossy;
  // kSteps temperatures in geometric progression. The factor is found by bisection, because the
  // functions of the C library may round differently between machines.
  const double ratio = kCold / schedule.hot;
  double low = 0;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double factor = (low + high) / 2;
    double power = 1;
    for (int step = 0; step < kSteps; ++step) power *= factor;
    (power < ratio ? low : high) = factor;
  }
  double temperature = mean * schedule.hot;
  for (int step = 0; step < kSteps; ++step, temperature *= low) {
    energy.begin_step();
    for (std::int64_t i = 0; i < schedule.trials / kSteps; ++i) {
      if (!energy.propose(random)) continue;
      const double change = energy.change();
      if (change <= 0 || random.fraction() < decay(change / temperature)) energy.accept();
    }
  }
}

/// Exchanges the occupants of two slots, so that a process moves to the node of a neighbour.
class Exchanges {
public:
  Exchanges(const Problem& problem, const std::vector<int>& slot_of)
      : problem_(problem),
        slot_of_(slot_of),
        occupant_(occupants(slot_of, problem.node_of_slot.size())) {}

protected:
  /// Picks a process, one of its neighbours on another node and a slot of that node. False when
  /// the pick is of no use.
  bool pick(Random& random, bool within_nodes) {
    const int process = random.below(problem_.processes());
    const auto arcs = problem_.graph.of(process);
    if (arcs.empty()) return false;
    const int neighbour =
        arcs[static_cast<std::size_t>(random.below(static_cast<int>(arcs.size())))].to;
    const int node = node_at(slot(neighbour));
    if (!within_nodes && node == node_at(slot(process))) return false;
    const std::vector<int>& slots = problem_.slots[static_cast<std::size_t>(node)];
    to_ = slots[static_cast<std::size_t>(random.below(static_cast<int>(slots.size())))];
    from_ = slot(process);
    going_ = process;
    coming_ = occupant_[static_cast<std::size_t>(to_)];
    return coming_ != process && coming_ != neighbour;
  }

  void exchange() {
    slot_of_[static_cast<std::size_t>(going_)] = to_;
    if (coming_ >= 0) slot_of_[static_cast<std::size_t>(coming_)] = from_;
    std::swap(occupant_[static_cast<std::size_t>(to_)], occupant_[static_cast<std::size_t>(from_)]);
  }

  [[nodiscard]] int slot(int process) const { return slot_of_[static_cast<std::size_t>(process)]; }
  [[nodiscard]] int node_at(int slot) const {
    return problem_.node_of_slot[static_cast<std::size_t>(slot)];
  }

  const Problem& problem_;
  std::vector<int> slot_of_;
  std::vector<int> occupant_;
  int going_ = 0;
  int coming_ = -1;  ///< -1: the slot is idle
  int from_ = 0;
  int to_ = 0;
};

/// The cut and the loads of nodes. The largest load is not a smooth function, so the energy is the
/// cut plus the sum of the eighth powers of the loads, which the largest loads dominate.
class NodeEnergy : public Exchanges {
public:
  NodeEnergy(const Problem& problem, const std::vector<int>& slot_of)
      : Exchanges(problem, slot_of), load_(problem.slots.size(), 0) {
    for (int process = 0; process < problem.processes(); ++process) {
      const int own = node_at(slot(process));
      for (const Arc& arc : problem.graph.of(process)) {
        if (node_at(slot(arc.to)) == own) continue;
        cut_ += arc.weight / 2;
        load_[static_cast<std::size_t>(own)] += arc.load;
      }
      for (const Arc& arc : problem.graph.of(process)) {
        all_weight_ += arc.weight;
        all_load_ += arc.load;
      }
    }
    best_ = rating();
    best_slots_ = slot_of_;
  }

  void begin_step() {
    // Convert loads to the unit of weights.
    const double unit = all_load_ > 0 ? all_weight_ / all_load_ : 0;
    scale_ = std::max(*std::max_element(load_.begin(), load_.end()), 1e-300);
    const bool cut_first = problem_.aim == Aim::cut_then_load;
    cut_share_ = cut_first ? 1 : 0.1;
    load_share_ = (cut_first ? 0.1 : 1) * unit * scale_ / 8;
  }

  bool propose(Random& random) { return pick(random, false); }

  double change() {
    const int a = node_at(from_);
    const int b = node_at(to_);
    cut_change_ = a_change_ = b_change_ = 0;
    add(going_, coming_, a, b, a_change_, b_change_);
    if (coming_ >= 0) add(coming_, going_, b, a, b_change_, a_change_);
    if (scale_ == 0) begin_step();
    const double a_load = load_[static_cast<std::size_t>(a)];
    const double b_load = load_[static_cast<std::size_t>(b)];
    return cut_share_ * cut_change_ + load_share_ * (power(a_load + a_change_) - power(a_load) +
                                                     power(b_load + b_change_) - power(b_load));
  }

  void accept() {
    load_[static_cast<std::size_t>(node_at(from_))] += a_change_;
    load_[static_cast<std::size_t>(node_at(to_))] += b_change_;
    cut_ += cut_change_;
    exchange();
    if (problem_.aim == Aim::cut_then_load && cut_ > best_.first) return;
    if (const Rating now = rating(); better(now, best_)) {
      best_ = now;
      best_slots_ = slot_of_;
    }
  }

  [[nodiscard]] const std::vector<int>& best_slots() const { return best_slots_; }

private:
  /// The changes when a process moves from node a to b. Its pair with `other` is unchanged.
  void add(int process, int other, int a, int b, double& a_change, double& b_change) {
    for (const Arc& arc : problem_.graph.of(process)) {
      if (arc.to == other) continue;
      const int node = node_at(slot(arc.to));
      if (node == a) {
        cut_change_ += arc.weight;
        a_change += arc.load;
        b_change += arc.load;
      } else if (node == b) {
        cut_change_ -= arc.weight;
        a_change -= arc.load;
        b_change -= arc.load;
      } else {
        a_change -= arc.load;
        b_change += arc.load;
      }
    }
  }

  [[nodiscard]] double power(double load) const {
    const double x = load / scale_;
    const double square = x * x;
    return square * square * square * square;
  }

  [[nodiscard]] Rating rating() const {
    const double largest = *std::max_element(load_.begin(), load_.end());
    return problem_.aim == Aim::cut_then_load ? Rating{cut_, largest} : Rating{largest, cut_};
  }

  std::vector<double> load_;
  double cut_ = 0;
  double all_weight_ = 0;
  double all_load_ = 0;
  double scale_ = 0;  ///< the largest load when the temperature was last set
  double cut_share_ = 1;
  double load_share_ = 0;
  double cut_change_ = 0;
  double a_change_ = 0;
  double b_change_ = 0;
  Rating best_;
  std::vector<int> best_slots_;
};

/// The sum of weight times distance.
class DistanceEnergy : public Exchanges {
public:
  DistanceEnergy(const Problem& problem, const std::vector<int>& slot_of)
      : Exchanges(problem, slot_of),
        sum_(problem.distance_of(slot_of)),
        best_(sum_),
        best_slots_(slot_of),
        slots_(problem.node_of_slot.size()),
        between_(slots_ * slots_) {
    for (std::size_t a = 0; a < slots_; ++a) {
      for (std::size_t b = 0; b < slots_; ++b) {
        between_[a * slots_ + b] =
            problem
                .distance[meeting_level(problem.request.slots.of[a], problem.request.slots.of[b])];
      }
    }
  }

  void begin_step() {}
  bool propose(Random& random) { return pick(random, true); }

  double change() {
    change_ = moved(going_, coming_, from_, to_);
    if (coming_ >= 0) change_ += moved(coming_, going_, to_, from_);
    return change_;
  }

  void accept() {
    exchange();
    sum_ += change_;
    constexpr double rounding = 1e-9;
    if (sum_ >= best_ * (1 - rounding)) return;
    best_ = sum_;
    best_slots_ = slot_of_;
  }

  [[nodiscard]] const std::vector<int>& best_slots() const { return best_slots_; }

private:
  [[nodiscard]] double moved(int process, int other, int from, int to) const {
    const double* before = &between_[static_cast<std::size_t>(from) * slots_];
    const double* after = &between_[static_cast<std::size_t>(to) * slots_];
    double sum = 0;
    for (const Arc& arc : problem_.graph.of(process)) {
      const auto at = static_cast<std::size_t>(slot(arc.to));
      if (arc.to != other) sum += arc.weight * (after[at] - before[at]);
    }
    return sum;
  }

  double sum_;
  double change_ = 0;
  double best_;
  std::vector<int> best_slots_;
  std::size_t slots_;
  std::vector<double> between_;  ///< distances of all pairs of slots
};

}  // namespace

std::vector<int> anneal_nodes(const Problem& problem, const std::vector<int>& node_of,
                              const Schedule& schedule) {
  NodeEnergy energy(problem, slots_for(problem, node_of));
  run(energy, schedule);
  return problem.nodes_of(energy.best_slots());
}

std::vector<int> anneal_distance(const Problem& problem, const std::vector<int>& slot_of,
                                 const Schedule& schedule) {
  DistanceEnergy energy(problem, slot_of);
  run(energy, schedule);
  return energy.best_slots();
}

}  // namespace plait::mapping
