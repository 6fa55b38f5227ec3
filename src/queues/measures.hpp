// SPDX-License-Identifier: BSD-3-Clause
// What each process of a measurement does.
#pragma once

#include <atomic>
#include <cstdint>

#include "transport/messages.hpp"

namespace plait::queues {

inline constexpr uint32_t kBlocks = 20;  ///< samples of each measure

enum Measure : uint32_t { kBare, kLatency, kRate, kBandwidth, kPoll, kMeasures };

/// Memory that all processes of a measurement share beside the node's.
struct Control {
  std::atomic<uint32_t> stopped;  ///< a process could not start
  std::atomic<uint32_t> rounds;   ///< of the next block of kRate; 0: the last one was
  alignas(64) std::atomic<uint32_t> flag;
  /// By process 0: seconds; of kRate messages per second, of kBandwidth bytes per second.
  alignas(64) double samples[kMeasures][kBlocks];
};

/// A measurement.
struct Plan {
  uint64_t bytes;
  double seconds;  ///< per measure
  transport::WaitPolicy policy;
};

/// Runs one process until all measures are taken.
/// @return false if another process is dead
bool take_part(transport::Queues& queues, const Plan& plan, Control& control);

}  // namespace plait::queues
