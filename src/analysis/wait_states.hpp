// SPDX-License-Identifier: BSD-3-Clause
// Wait states: times in MPI during which a rank waited for another, and for which one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/lanes.hpp"
#include "base/processes.hpp"
#include "trace/trace.hpp"

namespace plait::analysis {

/// Names as in Scalasca (Geimer, Wolf, Wylie, Abraham, Becker, Mohr 2010, "The Scalasca
/// performance toolset architecture"; its pattern reference).
enum class WaitKind : std::uint8_t {
  late_sender,
  late_receiver,
  barrier,
  n_to_n,
  neighbors,  ///< in a neighbourhood collective
  fence,
  late_post,      ///< MPI_Win_start or MPI_Win_complete before MPI_Win_post
  late_complete,  ///< MPI_Win_wait or MPI_Win_test before MPI_Win_complete
  lock,           ///< another rank holds the lock of a window
  progress,       ///< a call of passive target synchronization whose target is outside MPI
  file,
  late_root,
  early_root,
  before_first,  ///< MPI_Init ended later than on the first rank
  at_end,        ///< reached MPI_Finalize before the last rank
  untraced       ///< perhaps for a rank that was left out; see untraced_waits()
};
/// The name: "late sender", "late receiver", "wait at barrier", "wait at NxN",
/// "wait for neighbours", "wait at fence",
/// "late post", "late complete", "lock contention", "wait for progress", "wait at collective I/O",
/// "late root (broadcast)", "early root (reduce)", "before the first call", "wait at the end",
/// "rank not traced".
const char* to_string(WaitKind kind);

/// One period of waiting in a call.
struct Wait {
  std::int64_t begin = 0, end = 0;       ///< ns; ends when the awaited rank arrives
  std::uint32_t call = 0;                ///< of the lane
  std::uint32_t by_lane = trace::kNone;  ///< awaited lane, and the call with which it arrived
  std::uint32_t by_call = trace::kNone;
  WaitKind kind = WaitKind::late_sender;
};

/// All MPI libraries send messages up to this size before their receive begins, bytes.
inline constexpr std::uint64_t kSentAtOnce = 1024;

/// A call that waits for nobody takes no longer than this, ns, and the time to copy its data.
inline constexpr std::int64_t kSurelyWaits = 20'000;

/// The time in which MPI copies a message even on slow machines, at 0.5 GB/s.
inline std::int64_t slow_copy_ns(std::uint64_t bytes) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, std::uint64_t{1} << 61) * 2);
}

class CollectiveArrivals;
class MessageEnds;

/// The waits of this process's lanes, by lane and ascending, at most one per call. Excludes
/// kBeforeFirst, the time from Lanes::begin to Lane::begin.
struct Waits {
  std::vector<std::vector<Wait>> of;
  /// What they were found from, for other parts of the analysis; refers to the trace and the lanes.
  std::shared_ptr<const CollectiveArrivals> collectives;
  std::shared_ptr<const MessageEnds> messages;
  std::vector<std::vector<std::int64_t>>
      sums;  ///< by lane: waiting before each wait, then total, ns
  /// Size of the longest message that was sent before its receive began, inside a node and between
  /// nodes, at least kSentAtOnce. Sends up to this size are assumed not to wait.
  std::array<std::uint64_t, 2> largest_buffered{kSentAtOnce, kSentAtOnce};
  /// Size of the shortest messages above largest_buffered whose sends, at least two, did not end
  /// before their receives began, though they had time to; ~0: none did.
  std::array<std::uint64_t, 2> smallest_held{~std::uint64_t{0}, ~std::uint64_t{0}};

  /// The number of waits of a lane that end at or before t. Searches from wait `near`.
  [[nodiscard]] std::uint32_t ended(std::uint32_t lane, std::int64_t t, std::uint32_t near) const;
  /// About as many waits as a lane has before a call, if they are spread evenly over its calls.
  [[nodiscard]] std::uint32_t near(std::uint32_t lane, std::uint32_t call,
                                   const Lanes& lanes) const {
    const std::size_t calls = std::max<std::size_t>(1, lanes.all[lane].calls.size());
    return static_cast<std::uint32_t>(of[lane].size() * call / calls);
  }
  /// The waiting time of a lane until t, ns.
  [[nodiscard]] std::int64_t until(std::uint32_t lane, std::int64_t t, std::uint32_t near) const;
};

/// Finds the wait states of all calls. Linear in the events.
/// @param threads  that work at most; 0: as many as there are usable CPUs. The result is the same.
/// @param processes  that share the work, each with those of its lanes as the result; null: this
/// one
///                   alone. Collective among them.
Waits find_waits(const trace::Trace& trace, const Lanes& lanes, unsigned threads = 0,
                 Processes* processes = nullptr);

/// Waiting of one kind, at one site of the waiting ranks.
struct WaitState {
  WaitKind kind = WaitKind::late_sender;
  std::uint32_t function = trace::kNone, site = trace::kNone;
  double seconds = 0;  ///< over all ranks
  std::uint64_t count = 0;
  int worst_rank = -1;  ///< waited longest
  double worst_s = 0;   ///< waiting of that rank
};

/// Collective. Waiting by kind, function and site, longest first.
/// @param threads, processes  as of find_waits()
std::vector<WaitState> sum_waits(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                                 unsigned threads = 0, Processes* processes = nullptr);

/// Collective. Waiting by rank, s: of all threads that call MPI, and before the first call.
/// @param threads, processes  as of find_waits()
std::vector<double> waiting_by_rank(const Lanes& lanes, const Waits& waits, unsigned threads = 0,
                                    Processes* processes = nullptr);

}  // namespace plait::analysis
