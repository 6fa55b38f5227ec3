// SPDX-License-Identifier: BSD-3-Clause
// Improves a partition by moves between two parts, looking ahead past moves that do not pay.
#include "mapping/search/refine.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace plait::mapping {
namespace {

/// Moves past the best state after which a pass stops.
constexpr std::size_t kLookAhead = 24;
/// The cost of adding to a queue, in pairs.
constexpr std::int64_t kHeapVisits = 4;

class Refiner {
public:
  Refiner(Partition& partition, std::int64_t most_visits)
      : partition_(partition),
        visits_left_(most_visits),
        members_(static_cast<std::size_t>(partition.parts())),
        place_(static_cast<std::size_t>(partition.graph().size())),
        gain_(place_.size(), 0),
        locked_(place_.size(), 0) {
    for (int process = 0; process < partition.graph().size(); ++process) enlist(process);
  }

  std::int64_t run() {
    const std::int64_t begin = visits_left_;
    const auto parts = static_cast<std::size_t>(partition_.parts());
    std::vector<char> active(parts, 1);
    for (bool improved = true; improved && visits_left_ > 0;) {
      improved = false;
      std::vector<char> changed(parts, 0);
      for (int a = 0; a < partition_.parts() && visits_left_ > 0; ++a) {
        for (const int b : neighbours_above(a)) {
          const auto i = static_cast<std::size_t>(a);
          const auto j = static_cast<std::size_t>(b);
          if ((active[i] == 0 && active[j] == 0) || visits_left_ <= 0) continue;
          // Sums of weights of very different sizes are rounded, so that two states may each seem
          // better than the other.
          while (visits_left_ > 0 && improve(a, b)) {
            changed[i] = changed[j] = 1;
            improved = true;
          }
        }
      }
      active = std::move(changed);
    }
    return begin - visits_left_;
  }

private:
  /// A possible move. Among equal gains the lower process is first, so that the order is fixed.
  struct Move {
    double gain;
    int process;
    bool operator<(const Move& other) const {
      return gain != other.gain ? gain < other.gain : process > other.process;
    }
  };

  /// Possible moves out of a part, the best on top. Outdated moves stay until they reach the top.
  class Queue {
  public:
    void clear() { heap_.clear(); }
    void push(const Move& move) {
      heap_.push_back(move);
      std::push_heap(heap_.begin(), heap_.end());
    }
    [[nodiscard]] bool empty() const { return heap_.empty(); }
    [[nodiscard]] const Move& top() const { return heap_.front(); }
    void pop() {
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    }

  private:
    std::vector<Move> heap_;
  };

  void enlist(int process) {
    std::vector<int>& list = members_[static_cast<std::size_t>(partition_.of(process))];
    place_[static_cast<std::size_t>(process)] = list.size();
    list.push_back(process);
  }

  void move(int process, int to) {
    std::vector<int>& list = members_[static_cast<std::size_t>(partition_.of(process))];
    const std::size_t hole = place_[static_cast<std::size_t>(process)];
    list[hole] = list.back();
    place_[static_cast<std::size_t>(list[hole])] = hole;
    list.pop_back();
    partition_.move(process, to);
    enlist(process);
    visits_left_ -= 2 * static_cast<std::int64_t>(partition_.graph().of(process).size());
  }

  /// Parts with a higher number that share pairs with `part`, ascending.
  std::vector<int> neighbours_above(int part) {
    std::vector<int> result;
    for (const int process : members_[static_cast<std::size_t>(part)]) {
      for (const Arc& arc : partition_.graph().of(process)) {
        const int other = partition_.of(arc.to);
        if (other > part) result.push_back(other);
      }
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  [[nodiscard]] double value(const Arc& arc) const {
    return partition_.aim() == Aim::cut_then_load ? arc.weight : arc.load;
  }

  /// Adds the moves of all processes of a part that have pairs with the other part, and the
  /// cheapest move of the other processes.
  void offer_all(int part, int other, Queue& queue) {
    queue.clear();
    Move rest{0, -1};
    for (const int process : members_[static_cast<std::size_t>(part)]) {
      const auto p = static_cast<std::size_t>(process);
      const std::span<const Arc> arcs = partition_.graph().of(process);
      visits_left_ -= static_cast<std::int64_t>(arcs.size());
      double gain = 0;
      bool at_the_border = false;
      for (const Arc& arc : arcs) {
        const int to = partition_.of(arc.to);
        if (to == other) {
          gain += value(arc);
          at_the_border = true;
        }
        if (to == part) gain -= value(arc);
      }
      gain_[p] = gain;
      const Move move{gain, process};
      if (at_the_border) {
        queue.push(move);
      } else if (rest.process < 0 || rest < move) {
        rest = move;
      }
    }
    if (rest.process >= 0) queue.push(rest);
  }

  /// Updates the gains of the neighbours of a process after its move.
  void offer_neighbours(int process, int from, int to) {
    for (const Arc& arc : partition_.graph().of(process)) {
      const int part = partition_.of(arc.to);
      const auto other = static_cast<std::size_t>(arc.to);
      if ((part != from && part != to) || locked_[other] == pass_number_) continue;
      const bool left_behind = part == from;
      gain_[other] += left_behind ? 2 * value(arc) : -2 * value(arc);
      queue_[left_behind == (from == first_) ? 0 : 1].push({gain_[other], arc.to});
      visits_left_ -= kHeapVisits;
    }
  }

  /// The best valid move of a queue; nullptr when there is none.
  const Move* top(Queue& queue) {
    while (!queue.empty()) {
      const Move& move = queue.top();
      const auto p = static_cast<std::size_t>(move.process);
      if (move.gain == gain_[p] && locked_[p] != pass_number_) return &move;
      queue.pop();
    }
    return nullptr;
  }

  /// The state of the current two parts: what exceeds a capacity counts first.
  struct State {
    int excess;
    Rating rating;
    [[nodiscard]] bool better_than(const State& other) const {
      return excess != other.excess ? excess < other.excess : better(rating, other.rating);
    }
  };

  [[nodiscard]] State state(int a, int b, double others) const {
    const int excess = std::max(0, -partition_.room(a)) + std::max(0, -partition_.room(b));
    return {excess, partition_.rating(partition_.cut(),
                                      std::max({partition_.load(a), partition_.load(b), others}))};
  }

  /// The next process to move, or -1: the best move that exceeds a capacity by at most the one
  /// process that the next move brings back.
  int next(int a, int b) {
    const Move* from_a = partition_.room(b) >= 0 ? top(queue_[0]) : nullptr;
    const Move* from_b = partition_.room(a) >= 0 ? top(queue_[1]) : nullptr;
    if (from_a == nullptr && from_b == nullptr) return -1;
    if (from_a == nullptr) return from_b->process;
    if (from_b == nullptr || *from_b < *from_a) return from_a->process;
    return from_b->process;
  }

  /// The largest load of all parts but a and b.
  [[nodiscard]] double largest_of_others(int a, int b) {
    double largest = 0;
    for (int part = 0; part < partition_.parts(); ++part) {
      if (part != a && part != b) largest = std::max(largest, partition_.load(part));
    }
    visits_left_ -= partition_.parts() / 4;
    return largest;
  }

  /// One pass over parts a and b; true when the rating became better.
  bool improve(int a, int b) {
    ++pass_number_;
    first_ = a;
    offer_all(a, b, queue_[0]);
    offer_all(b, a, queue_[1]);
    const double others = largest_of_others(a, b);
    const State before = state(a, b, others);
    State best = before;
    moved_.clear();
    std::size_t keep = 0;
    while (moved_.size() < keep + kLookAhead) {
      const int process = next(a, b);
      if (process < 0) break;
      const int from = partition_.of(process);
      const int to = from == a ? b : a;
      locked_[static_cast<std::size_t>(process)] = pass_number_;
      move(process, to);
      moved_.push_back(process);
      offer_neighbours(process, from, to);
      if (const State now = state(a, b, others); now.better_than(best)) {
        best = now;
        keep = moved_.size();
      }
    }
    for (std::size_t i = moved_.size(); i-- > keep;) {
      move(moved_[i], partition_.of(moved_[i]) == a ? b : a);
    }
    return best.better_than(before);
  }

  Partition& partition_;
  std::int64_t visits_left_;
  std::vector<std::vector<int>> members_;  ///< of each part
  std::vector<std::size_t> place_;         ///< of each process in its list
  std::vector<double> gain_;               ///< of each process of the current two parts
  std::vector<int> locked_;                ///< pass in which the process was last moved
  std::array<Queue, 2> queue_;             ///< moves out of the current two parts
  int first_ = 0;                          ///< the part of queue_[0]
  std::vector<int> moved_;
  int pass_number_ = 0;
};

}  // namespace

std::int64_t refine(Partition& partition, std::int64_t most_visits) {
  return Refiner(partition, most_visits).run();
}

}  // namespace plait::mapping
