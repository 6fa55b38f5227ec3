// SPDX-License-Identifier: BSD-3-Clause
// How a rank spent each of equal parts of a run: computing, communicating, waiting.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "report/timeline.hpp"
#include "report/timeline_windows.hpp"

namespace plait::report {

/// What the time of a rank goes to. `kWaiting` is taken from the calls that waited; what is left of
/// them is the category of the call.
enum class TimeCategory : std::uint8_t {
  kComputation,
  kPointToPoint,
  kCollective,
  kOtherMpi,
  kWaiting,
  kOpenmpIdle
};
inline constexpr std::size_t kTimeCategories = 6;
inline constexpr std::array<const char*, kTimeCategories> kTimeCategoryNames{
    "computation", "point_to_point", "collective", "other_mpi", "waiting", "openmp_idle"};

/// The category of an MPI call: one that starts or completes operations belongs to them.
TimeCategory category_of(const trace::Trace& trace, const trace::Rank& rank,
                         const trace::Event& event);

/// Whether an event is an MPI call: those of a stream do not overlap.
bool is_call(trace::EventKind kind);

/// The stream that a rank's time is read from: the main thread's; that of the thread which spent
/// most in MPI when the main thread makes no call. `rank` has at least one stream.
std::uint32_t time_stream(const trace::Trace& trace, const trace::Rank& rank);

/// Nanoseconds by category in equal parts of the run. A rank's time counts from Init to Finalize;
/// idle OpenMP time is the mean of its threads: in a region, but not at work there, or at the end
/// of their part of it, where they wait. It is taken from the rank's computation.
std::array<std::vector<double>, kTimeCategories> fill_bins(const trace::Trace& trace,
                                                           std::uint32_t rank,
                                                           const TimelineWindow& run,
                                                           std::size_t bins,
                                                           const WaitOfEvent& wait);

}  // namespace plait::report
