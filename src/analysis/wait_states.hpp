// SPDX-License-Identifier: BSD-3-Clause
// Wait states: where a rank stood in MPI because another had not come yet, and which one that was.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/lanes.hpp"
#include "trace/trace.hpp"

namespace plait::analysis {

/// As Scalasca names them (Geimer, Wolf, Wylie, Abraham, Becker, Mohr 2010, "The Scalasca
/// performance toolset architecture"; its pattern reference).
enum class WaitKind : std::uint8_t {
  kLateSender,
  kLateReceiver,
  kBarrier,
  kNxN,
  kLateRoot,
  kEarlyRoot,
  kBeforeFirst,  ///< MPI_Init ended later than on the first rank
  kAtEnd         ///< came to MPI_Finalize before the last rank
};
/// "late sender", "late receiver", "wait at barrier", "wait at NxN", "late root (broadcast)",
/// "early root (reduce)", "before the first call", "wait at the end".
const char* to_string(WaitKind kind);

/// One stretch of waiting, in one call.
struct Wait {
  std::int64_t begin = 0, end = 0;       ///< ns; it ends when who was waited for came
  std::uint32_t call = 0;                ///< of the lane
  std::uint32_t by_lane = trace::kNone;  ///< who was waited for, and the call by which it came
  std::uint32_t by_call = trace::kNone;
  WaitKind kind = WaitKind::kLateSender;
};

/// Messages at most this long leave before their receive begins under every MPI library.
inline constexpr std::uint64_t kSentAtOnce = 1024;

/// All waiting, by lane, ascending; at most one in a call. kBeforeFirst is not among them: it is
/// the time from Lanes::begin to Lane::begin.
struct Waits {
  std::vector<std::vector<Wait>> of;
  std::vector<std::vector<std::int64_t>> sums;  ///< by lane: waiting before each wait, then all, ns
  /// Bytes of the longest message seen to be sent before its receive began, within a node and
  /// between nodes, kSentAtOnce at least: up to it sends are taken not to wait.
  std::array<std::uint64_t, 2> largest_buffered{kSentAtOnce, kSentAtOnce};

  /// Number of waits of a lane that end at or before t. Searches from wait `near`.
  [[nodiscard]] std::uint32_t ended(std::uint32_t lane, std::int64_t t, std::uint32_t near) const;
  /// Waiting of a lane until t, ns.
  [[nodiscard]] std::int64_t until(std::uint32_t lane, std::int64_t t, std::uint32_t near) const;
};

/// Finds the wait states of all point-to-point and collective calls. Linear in the events.
Waits find_waits(const trace::Trace& trace, const Lanes& lanes);

/// Waiting of one kind, at one site of the waiting ranks.
struct WaitState {
  WaitKind kind = WaitKind::kLateSender;
  std::uint32_t function = trace::kNone, site = trace::kNone;
  double seconds = 0;  ///< over all ranks
  std::uint64_t count = 0;
  int worst_rank = -1;  ///< which waited longest
  double worst_s = 0;
};

/// Dearest first.
std::vector<WaitState> sum_waits(const trace::Trace& trace, const Lanes& lanes, const Waits& waits);

/// Waiting by rank, s: of its threads that call MPI, and before its first call.
std::vector<double> waiting_by_rank(const trace::Trace& trace, const Lanes& lanes,
                                    const Waits& waits);

}  // namespace plait::analysis
