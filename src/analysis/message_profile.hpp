// SPDX-License-Identifier: BSD-3-Clause
// The messages of a run by size and pair, with their rates beside those measured for their path.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

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
  double path_rate = 0;  ///< measured for this path and the class' median size; 0: unknown
};
struct PairTraffic {
  int from = 0, to = 0;
  std::uint64_t count = 0, bytes = 0;
  double seconds = 0;
};
struct SlowTransfer {  ///< far below the path's measured speed
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
  std::vector<SlowTransfer> slow;  ///< dearest first, at most 32
};

/// One message on its way, ns.
struct Transfer {
  std::int64_t begin = 0;  ///< the later of the begins of its send and its receive
  std::int64_t end = 0;    ///< of the call that completed the receive
  /// Most of the time that sender or receiver was outside of the calls that move the message.
  std::int64_t unattended = 0;
  std::uint32_t together = 1;  ///< operations that the completing call ended
  bool between_nodes = false;
};

/// Empty: the receive was not seen to end.
std::optional<Transfer> transfer_of(const trace::Trace& trace, const trace::Message& message);

/// The measured paths of a machine; empty when there is none.
std::optional<replay::Network> paths_of(const machine::Measured* measured);

/// Time of one message on its path as measured, s; empty: unknown.
std::optional<double> measured_time(const std::optional<replay::Network>& paths, bool between_nodes,
                                    std::uint64_t bytes);

/// Slow are pairs and sizes whose messages reach less than a quarter of the measured rate, in the
/// median of at least 10 of them, of 1 MiB or more in all; only those count which sender and
/// receiver attended to all the time. Where a call ended several operations, they are taken to have
/// shared the path one after the other. n log n in the messages.
/// @param measured  of the machine; null: rates stand alone
MessageProfile profile_messages(const trace::Trace& trace, const machine::Measured* measured);

}  // namespace plait::analysis
