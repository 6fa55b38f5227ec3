// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a node did in an interval, and how long the next one takes with other places.
#pragma once

#include <cstddef>
#include <vector>

#include "remap/place_costs.hpp"

namespace plait::remap {

/// Messages from one rank to another.
struct Flow {
  int from = 0, to = 0;
  double messages = 0, bytes = 0;
};

/// What the ranks of a node did in some time. Ranks are numbered from 0 on the node.
struct Interval {
  double seconds = 0;
  std::vector<Flow> flows;     ///< each pair at most once
  std::vector<double> busy_s;  ///< of each rank: outside MPI, in all its threads
  std::vector<double> mpi_s;   ///< of each rank: inside MPI
};

/// Time that depends on places.
struct Time {
  double slowest_s = 0;  ///< of the rank that takes longest
  double sum_s = 0;      ///< of all ranks; decides between arrangements that are equal otherwise
  friend auto operator<=>(const Time&, const Time&) = default;
};

/// Predicts intervals like one that was observed. A rank computes for as long as memory bandwidth
/// allows, and waits for the messages that it receives, one after the other. If the costs of paths
/// say that it waits longer than it was in MPI, they are reduced to that: messages may be hidden
/// behind computation.
class Prediction {
public:
  /// @param home  place of each rank where its memory is
  /// @param now   place of each rank in the interval
  Prediction(const PlaceCosts& costs, const Interval& interval, std::vector<int> home,
             const std::vector<int>& now);

  [[nodiscard]] Time time_of(const std::vector<int>& place_of) const;
  [[nodiscard]] std::size_t ranks() const { return home_.size(); }
  /// Work of one time_of().
  [[nodiscard]] std::size_t work() const { return interval_.flows.size() + home_.size(); }

private:
  [[nodiscard]] std::vector<double> waits(const std::vector<int>& place_of) const;
  [[nodiscard]] std::vector<double> computations(const std::vector<int>& place_of) const;

  const PlaceCosts& costs_;
  const Interval& interval_;
  std::vector<int> home_;
  std::vector<double> busy_;     ///< cores that each rank keeps busy
  std::vector<double> compute_;  ///< seconds of each rank with all the bandwidth that it needs
  std::vector<double> visible_;  ///< part of its messages that a rank waits for
};

/// The best arrangement that was found: by exchanging pairs of ranks and moving single ones, from
/// several first arrangements, the same in every run. Every place keeps between its least and its
/// most ranks.
/// @param now  of which places some may be left for good (`most` = 0)
std::vector<int> best_arrangement(const Prediction& prediction, const std::vector<Place>& places,
                                  const std::vector<int>& now);

}  // namespace plait::remap
