// SPDX-License-Identifier: BSD-3-Clause
// Measures the bounds of message passing between pairs of cores: a cache line, and one memcpy.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "measure/bare_channel.hpp"
#include "measure/exchange.hpp"
#include "measure/pages.hpp"
#include "measure/rounds.hpp"
#include "measure/team.hpp"

namespace plait::measure {

/// Two hardware threads (operating-system indices); the first leads.
using PuPair = std::array<int, 2>;

/// The transfers that can be timed between the threads of a pair.
enum class BareKind {
  line,      ///< one atomic counter, incremented in turns
  pingpong,  ///< a transfer in each direction, in turns
  pingping,  ///< transfers in both directions at once
};

/// A figure to measure.
struct BareCell {
  BareKind kind = BareKind::line;
  std::uint64_t bytes = 0;
};

/// Threads on the cores of one or more pairs, with buffers that they touched first.
class BarePairs {
public:
  explicit BarePairs(const std::vector<PuPair>& pairs);

  /// Runs `repetitions` of the cell on all pairs at once.
  /// @return for each pair the seconds per message: half a round trip, or one exchange
  std::vector<double> run(const BareCell& cell, int repetitions);

  [[nodiscard]] const Disturbance& disturbance() const { return team_.disturbance(); }
  /// The largest fraction of the last run() that a thread waited for a CPU.
  [[nodiscard]] double waited() const { return team_.waited(); }

private:
  struct Pair {
    BareLink link;
    alignas(128) std::atomic<std::uint64_t> bounced{0};
    std::vector<BareChannel> channels;
    std::vector<Side> sides;
  };
  Team team_;
  std::vector<Pages> buffers_;  ///< send and receive of each thread
  std::vector<std::unique_ptr<Pair>> pairs_;
};

/// Measures the cells on one pair.
/// @param disturbance  is increased by that of this measurement
/// @return samples of each cell in microseconds per message
RoundsResult measure_bare_pair(const PuPair& pair, const std::vector<BareCell>& cells,
                               const RoundsPlan& plan, std::mt19937& random,
                               Disturbance& disturbance);

/// Measures ping-pong transfers on several pairs at once.
/// @param disturbance  is increased by that of this measurement
/// @return samples of each size in GB/s, summed over the pairs
RoundsResult measure_bare_together(const std::vector<PuPair>& pairs,
                                   const std::vector<std::uint64_t>& sizes, const RoundsPlan& plan,
                                   std::mt19937& random, Disturbance& disturbance);

}  // namespace plait::measure
