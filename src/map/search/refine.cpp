// SPDX-License-Identifier: BSD-3-Clause
// Exchanges and moves between two parts at a time, with a look ahead over moves that do not pay.
#include <algorithm>
#include <cstddef>
#include <queue>

#include "map/search/partition.hpp"

namespace plait::map {
namespace {

/// Moves beyond the best state before a pass is given up.
constexpr int kLookAhead = 24;

class Refiner {
public:
  Refiner(Partition& partition, std::int64_t most_visits)
      : partition_(partition),
        visits_left_(most_visits),
        members_(static_cast<std::size_t>(partition.parts())),
        place_(static_cast<std::size_t>(partition.graph().size())),
        stamp_(place_.size(), 0),
        locked_(place_.size(), 0) {
    for (int process = 0; process < partition.graph().size(); ++process) enlist(process);
  }

  void run() {
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
          while (improve(a, b)) {
            changed[i] = changed[j] = 1;
            improved = true;
          }
        }
      }
      active = std::move(changed);
    }
  }

private:
  /// A possible move; of equal gains the lower process first, so that the order is fixed.
  struct Move {
    double gain;
    int process;
    int stamp;
    bool operator<(const Move& other) const {
      return gain != other.gain ? gain < other.gain : process > other.process;
    }
  };
  using Queue = std::priority_queue<Move>;

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
    visits_left_ -= static_cast<std::int64_t>(partition_.graph().of(process).size());
  }

  /// Parts of a higher number that share pairs with `part`, rising.
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

  /// Puts a process of part a or b among the possible moves, or renews its gain.
  void offer(int process, int a, int b) {
    const auto p = static_cast<std::size_t>(process);
    const int own = partition_.of(process);
    const int other = own == a ? b : a;
    double gain = 0;
    for (const Arc& arc : partition_.graph().of(process)) {
      const int part = partition_.of(arc.to);
      if (part == other) gain += value(arc);
      if (part == own) gain -= value(arc);
    }
    visits_left_ -= static_cast<std::int64_t>(partition_.graph().of(process).size());
    ++stamp_[p];
    (own == a ? from_a_ : from_b_).push({gain, process, stamp_[p]});
  }

  /// The best possible move of a queue; nullptr when there is none.
  const Move* top(Queue& queue) {
    while (!queue.empty()) {
      const Move& move = queue.top();
      const auto p = static_cast<std::size_t>(move.process);
      if (move.stamp == stamp_[p] && locked_[p] != pass_number_) return &move;
      queue.pop();
    }
    return nullptr;
  }

  [[nodiscard]] Rating rating(int a, int b, double others) const {
    return partition_.rating(partition_.cut(),
                             std::max({partition_.load(a), partition_.load(b), others}));
  }

  /// The next process to move, or -1: the best that leaves no part over its capacity by more than
  /// the one that is to come back.
  int next(int a, int b) {
    const Move* from_a = partition_.room(b) >= 0 ? top(from_a_) : nullptr;
    const Move* from_b = partition_.room(a) >= 0 ? top(from_b_) : nullptr;
    if (from_a == nullptr && from_b == nullptr) return -1;
    if (from_a == nullptr) return from_b->process;
    if (from_b == nullptr || *from_b < *from_a) return from_a->process;
    return from_b->process;
  }

  /// One pass over parts a and b; true when the rating became better.
  bool improve(int a, int b) {
    ++pass_number_;
    from_a_ = Queue();
    from_b_ = Queue();
    for (const int part : {a, b}) {
      for (const int process : members_[static_cast<std::size_t>(part)]) offer(process, a, b);
    }
    double others = 0;
    for (int part = 0; part < partition_.parts(); ++part) {
      if (part != a && part != b) others = std::max(others, partition_.load(part));
    }
    const Rating before = rating(a, b, others);
    Rating best = before;
    std::vector<int> moved;
    std::size_t keep = 0;
    while (moved.size() < keep + kLookAhead) {
      const int process = next(a, b);
      if (process < 0) break;
      locked_[static_cast<std::size_t>(process)] = pass_number_;
      move(process, partition_.of(process) == a ? b : a);
      moved.push_back(process);
      for (const Arc& arc : partition_.graph().of(process)) {
        const int part = partition_.of(arc.to);
        const bool here = part == a || part == b;
        if (here && locked_[static_cast<std::size_t>(arc.to)] != pass_number_) offer(arc.to, a, b);
      }
      const bool legal = partition_.room(a) >= 0 && partition_.room(b) >= 0;
      if (const Rating now = rating(a, b, others); legal && better(now, best)) {
        best = now;
        keep = moved.size();
      }
    }
    for (std::size_t i = moved.size(); i-- > keep;) {
      move(moved[i], partition_.of(moved[i]) == a ? b : a);
    }
    return better(best, before);
  }

  Partition& partition_;
  std::int64_t visits_left_;
  std::vector<std::vector<int>> members_;  ///< of each part
  std::vector<std::size_t> place_;         ///< of each process in its list
  std::vector<int> stamp_;
  std::vector<int> locked_;  ///< pass in which the process was moved
  Queue from_a_, from_b_;
  int pass_number_ = 0;
};

}  // namespace

void refine(Partition& partition, std::int64_t most_visits) {
  Refiner(partition, most_visits).run();
}

}  // namespace plait::map
