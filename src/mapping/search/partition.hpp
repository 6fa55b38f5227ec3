// SPDX-License-Identifier: BSD-3-Clause
// A partition of processes into parts of fixed capacity (nodes, or groups inside a node).
#pragma once

#include <vector>

#include "mapping/search/weighted_graph.hpp"

namespace plait::mapping {

/// The figure to minimize first.
enum class Aim { cut_then_load, load_then_cut };

/// The rating of a partition: lower is better, `first` before `second`.
struct Rating {
  double first = 0;
  double second = 0;
};

/// True if rating a is lower than b by more than the rounding of sums.
bool better(const Rating& a, const Rating& b);

/// The part of each process, and sums over the parts.
class Partition {
public:
  /// @param capacity  of each part  @param part  of each process
  /// @param sizes  how much of a capacity each process uses; nullptr: 1
  Partition(const WeightedGraph& graph, const std::vector<int>& capacity, std::vector<int> part,
            Aim aim, const std::vector<int>* sizes = nullptr);

  [[nodiscard]] const WeightedGraph& graph() const { return *graph_; }
  [[nodiscard]] Aim aim() const { return aim_; }
  [[nodiscard]] int parts() const { return static_cast<int>(room_.size()); }
  [[nodiscard]] const std::vector<int>& of_process() const { return part_; }
  [[nodiscard]] int of(int process) const { return part_[static_cast<std::size_t>(process)]; }
  /// The free capacity of a part; below 0 if it is exceeded.
  [[nodiscard]] int room(int part) const { return room_[static_cast<std::size_t>(part)]; }
  /// The load that leaves the part.
  [[nodiscard]] double load(int part) const { return load_[static_cast<std::size_t>(part)]; }
  [[nodiscard]] double cut() const { return cut_; }
  [[nodiscard]] double largest_load() const;
  [[nodiscard]] Rating rating() const { return rating(cut_, largest_load()); }
  [[nodiscard]] Rating rating(double cut, double largest_load) const {
    return aim_ == Aim::cut_then_load ? Rating{cut, largest_load} : Rating{largest_load, cut};
  }

  /// Moves a process. The caller keeps to the capacities.
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

}  // namespace plait::mapping
