// SPDX-License-Identifier: BSD-3-Clause
// Processes dealt to parts (nodes, or groups inside one) of hard capacities, with what leaves each.
#pragma once

#include <cstdint>
#include <vector>

#include "map/search/weighted_graph.hpp"

namespace plait::map {

/// What is minimised first.
enum class Aim { cut_then_load, load_then_cut };

/// How good a partition is: lower is better, `first` before `second`.
struct Rating {
  double first = 0;
  double second = 0;
};

/// Whether a rating is lower by more than sums are rounded.
bool better(const Rating& a, const Rating& b);

/// Part of each process and the sums that a move changes.
class Partition {
public:
  /// @param capacity  of each part  @param part  of each process
  /// @param sizes  what each process takes of a capacity; nullptr: 1
  Partition(const WeightedGraph& graph, const std::vector<int>& capacity, std::vector<int> part,
            Aim aim, const std::vector<int>* sizes = nullptr);

  [[nodiscard]] const WeightedGraph& graph() const { return *graph_; }
  [[nodiscard]] Aim aim() const { return aim_; }
  [[nodiscard]] int parts() const { return static_cast<int>(room_.size()); }
  [[nodiscard]] const std::vector<int>& of_process() const { return part_; }
  [[nodiscard]] int of(int process) const { return part_[static_cast<std::size_t>(process)]; }
  /// What is left of the capacity of a part; below 0 where it is exceeded.
  [[nodiscard]] int room(int part) const { return room_[static_cast<std::size_t>(part)]; }
  /// What leaves the part.
  [[nodiscard]] double load(int part) const { return load_[static_cast<std::size_t>(part)]; }
  [[nodiscard]] double cut() const { return cut_; }
  [[nodiscard]] double largest_load() const;
  [[nodiscard]] Rating rating() const { return rating(cut_, largest_load()); }
  [[nodiscard]] Rating rating(double cut, double largest_load) const {
    return aim_ == Aim::cut_then_load ? Rating{cut, largest_load} : Rating{largest_load, cut};
  }

  /// Moves a process; capacities are the caller's.
  void move(int process, int to);

private:
  [[nodiscard]] int size_of(int process) const {
    return sizes_ == nullptr ? 1 : (*sizes_)[static_cast<std::size_t>(process)];
  }

  const WeightedGraph* graph_;
  const std::vector<int>* sizes_;
  Aim aim_;
  std::vector<int> part_;
  std::vector<int> room_;
  std::vector<double> load_;
  double cut_ = 0;
};

/// Exchanges and moves between two parts at a time, those that share pairs, until none improves the
/// rating: Fiduccia and Mattheyses (1982) between two parts, over the graph of parts, as in Sanders
/// and Schulz (ESA 2011, section 5). Capacities that hold before hold afterwards; what exceeds one
/// is brought down first.
/// @param most_visits  of pairs, after which it stops
/// @return visits made
std::int64_t refine(Partition& partition, std::int64_t most_visits);

}  // namespace plait::map
