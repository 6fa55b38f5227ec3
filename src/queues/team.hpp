// SPDX-License-Identifier: BSD-3-Clause
// Starts the processes of a measurement and waits for them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "measures.hpp"

namespace plait::queues {

/// What was measured with one design and one number of processes.
struct Result {
  const transport::Design* design;
  uint32_t processes;
  std::array<std::vector<double>, kMeasures> samples;
  uint64_t bytes;  ///< of shared memory that is reserved
};

/// Measures. The processes end with this one, however it ends.
/// @throws Error when there is no room, Failure when a process cannot be started or is killed
Result measure(const transport::Design& design, uint32_t processes, const Plan& plan);

}  // namespace plait::queues
