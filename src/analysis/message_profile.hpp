// SPDX-License-Identifier: BSD-3-Clause
// The messages of a run by size and pair, with their rates beside those measured for their path.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/measured.hpp"
#include "trace/trace.hpp"

namespace plait::analysis {

struct MessageClass {
  std::uint64_t from_bytes = 0, to_bytes = 0;
  std::uint64_t count = 0, bytes = 0;
  double seconds = 0;  ///< from the later of send and receive to the receive's end
  bool between_nodes = false;
  double rate = 0;       ///< bytes / s, median
  double path_rate = 0;  ///< measured for this path and size; 0: unknown
};
struct PairTraffic {
  int from = 0, to = 0;
  std::uint64_t count = 0, bytes = 0;
  double seconds = 0;
};
struct SlowTransfer {  ///< far below the path's measured speed
  int from = 0, to = 0;
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  double rate = 0, path_rate = 0;
  std::uint32_t site = trace::kNone;
};
struct MessageProfile {
  std::uint64_t messages = 0, bytes = 0;
  std::vector<MessageClass> classes;
  std::vector<PairTraffic> pairs;  ///< heaviest first, at most 4096
  std::vector<SlowTransfer> slow;  ///< at most 32
};

/// @param measured  of the machine; null: rates stand alone
MessageProfile profile_messages(const trace::Trace& trace, const machine::Measured* measured);

}  // namespace plait::analysis
