// SPDX-License-Identifier: BSD-3-Clause
// Message statistics by size and pair, compared with measured path rates.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/wait_states.hpp"
#include "base/processes.hpp"
#include "machine/measured.hpp"
#include "replay/network.hpp"
#include "trace/trace.hpp"

namespace plait::analysis {

struct MessageClass {
  std::uint64_t from_bytes = 0, to_bytes = 0;
  std::uint64_t count = 0, bytes = 0;
  double seconds = 0;  ///< from the later of send and receive to the receive's end
  bool between_nodes = false;
  double rate = 0;       ///< bytes / s, median
  double path_rate = 0;  ///< as measured at the class' median size, bytes / s; 0: unknown
};
struct PairTraffic {
  int from = 0, to = 0;
  std::uint64_t count = 0, bytes = 0;
  double seconds = 0;
};
/// Messages far below the path's measured speed.
struct SlowTransfer {
  int from = 0, to = 0;
  std::uint64_t bytes = 0;  ///< of one message
  std::uint64_t count = 0;
  double rate = 0, path_rate = 0;     ///< bytes / s, medians
  std::uint32_t site = trace::kNone;  ///< of the receive
};
struct MessageProfile {
  std::uint64_t messages = 0, bytes = 0;
  std::vector<MessageClass> classes;
  std::vector<PairTraffic> pairs;  ///< heaviest first, at most 4096
  std::vector<SlowTransfer> slow;  ///< most expensive first, at most 32
};

/// The measured paths of a machine; empty when `measured` is null or has no paths.
std::optional<replay::Network> paths_of(const machine::Measured* measured);

/// The time of one message as measured for its path, s; empty: unknown.
std::optional<double> measured_time(const std::optional<replay::Network>& paths, bool between_nodes,
                                    std::uint64_t bytes);

/// Collective. The statistics of all messages. Messages of one pair, site and size are slow when
/// the median of at least 10 of them, with 1 MiB or more in total, reaches less than a quarter of
/// the measured rate. Only messages during which sender and receiver were in MPI count. Operations
/// that end in one call share the path. n log n in the messages.
/// @param measured  of the machine; may be null, then rates are not compared
/// @param threads   that work at most; 0: as many as there are usable CPUs. The result is the same.
/// @param processes  that have the events of the ranks in Trace::shares, and all get the result;
///                   null: this one alone
MessageProfile profile_messages(const trace::Trace& trace, const Waits& waits,
                                const machine::Measured* measured, unsigned threads = 0,
                                Processes* processes = nullptr);

}  // namespace plait::analysis
