// SPDX-License-Identifier: BSD-3-Clause
// The time of a rank by category in equal parts of a run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/timeline.hpp"
#include "report/timeline_source.hpp"
#include "report/timeline_windows.hpp"

namespace plait::report {

/// Categories of a rank's time. Waiting is subtracted from the category of the call that waited.
enum class TimeCategory : std::uint8_t {
  computation,
  point_to_point,
  collective,
  other_mpi,
  waiting,
  openmp_idle
};
inline constexpr std::size_t kTimeCategories = 6;
inline constexpr std::array<const char*, kTimeCategories> kTimeCategoryNames{
    "computation", "point_to_point", "collective", "other_mpi", "waiting", "openmp_idle"};

/// The category of an MPI call; a call that starts or completes operations has theirs.
TimeCategory category_of(const trace::Trace& trace, const trace::Rank& rank,
                         const trace::Event& event);

/// The stream that determines a rank's time: the main thread's, or, if that thread makes no MPI
/// call, the one with most time in MPI. `rank` has at least one stream.
std::uint32_t time_stream(const trace::Trace& trace, const trace::Rank& rank);

/// Nanoseconds by category in `bins` equal parts of the run. A rank's time runs from MPI_Init to
/// MPI_Finalize. Idle OpenMP time is the mean over its threads of the time in a region without work
/// there, or at the end of their part of it; it is subtracted from computation.
std::array<std::vector<double>, kTimeCategories> fill_bins(const trace::Trace& trace,
                                                           std::uint32_t rank,
                                                           const TimelineWindow& run,
                                                           std::size_t bins,
                                                           const WaitOfEvent& wait);

/// A full bin on the page; shares of it are integers, the largest of which takes two bytes.
inline constexpr double kWholeBin = 16383;

/// The shares of time of a timeline's rows, in parts of a bin's length that are so small that they
/// can be whole: their sum does not depend on the order of ranks.
class RowBins {
public:
  /// Collective. Sums up the shares of all ranks.
  /// @param bins  of a row
  RowBins(const TimelineSource& of, std::size_t bins);

  /// The mean shares of the ranks of a row, as joined columns.
  /// @param ranks  their number
  [[nodiscard]] std::string columns(std::size_t row, std::uint32_t ranks) const;

private:
  std::size_t bins_;
  std::vector<std::uint64_t> sums_;  ///< by row, category and bin
};

}  // namespace plait::report
