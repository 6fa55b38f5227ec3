// SPDX-License-Identifier: BSD-3-Clause
// What it costs to have ranks on places: messages between them, and memory bandwidth that they
// share.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "machine/machine_file.hpp"
#include "mapping/mapping.hpp"
#include "remap/places.hpp"

namespace plait::remap {

/// The share of its computing time in which a rank needs all of the memory bandwidth that a core
/// can use. Plait does not see memory traffic. With this share the model gives four processes on
/// one memory bus 1.34 times the time of two on each of two buses, which is the median of the
/// benchmarks of Henriksen 2008, table 7.1 (case 1 over case 3: 1.00 to 1.73).
inline constexpr double kMemoryShare = 0.45;

/// Costs of the places of a node.
class PlaceCosts {
public:
  /// From the measurements of the machine. A path that was not measured has
  /// the costs of mapping::default_costs(), or those of the next measured path outside it if they
  /// are lower. Without a measurement the memory of a package or NUMA domain is saturated by a
  /// quarter of its cores.
  PlaceCosts(const machine::MachineFile& machine, const std::vector<Place>& places);

  [[nodiscard]] int places() const { return static_cast<int>(places_); }
  /// Of a message between two ranks in these places: the mean over their cores.
  [[nodiscard]] const mapping::PathCost& path(int from, int to) const {
    return paths_[static_cast<std::size_t>(from) * places_ + static_cast<std::size_t>(to)];
  }
  /// How many times as long each rank computes, because the ranks that share memory or a cache with
  /// it need more bandwidth than there is.
  /// @param place_of  place of each rank
  /// @param busy      cores that each rank keeps busy
  [[nodiscard]] std::vector<double> slowdowns(const std::vector<int>& place_of,
                                              const std::vector<double>& busy) const;
  /// Time in which a rank that moves fills its caches again; 0 if both places share them.
  [[nodiscard]] double refill_s(int from, int to) const;
  /// True if a rank in `to` would reach the memory that it has used in `home` through another NUMA
  /// domain. False when `home` spans several domains: then it may be anywhere.
  [[nodiscard]] bool far_from(int home, int to) const;

private:
  /// Cores that share memory bandwidth.
  struct Domain {
    double bandwidth = 1;  ///< in multiples of what one core can use
  };
  /// The part of a place in a domain.
  struct Part {
    std::size_t level = 0;  ///< cache, NUMA domain, package
    std::size_t domain = 0;
    double share = 1;  ///< of the place's cores
  };

  std::size_t places_ = 0;
  std::vector<mapping::PathCost> paths_;
  std::vector<Domain> domains_;
  std::vector<std::vector<Part>> parts_;  ///< by place
  std::vector<int> cache_of_;             ///< by place; -1: several
  std::vector<int> numa_of_;              ///< by place; -1: several
  double refill_s_ = 0;
};

}  // namespace plait::remap
