// SPDX-License-Identifier: BSD-3-Clause
// Combines measurements of one machine: later ones with earlier ones, repeated figures with
// doubtful ones.
#pragma once

#include <string>
#include <vector>

#include "machine/machine_file.hpp"

namespace plait::machine {

/// The most measurements that are kept; older ones are dropped.
inline constexpr std::size_t kMostRuns = 5;

/// Replaces unusable figures by those of a repetition with narrower intervals or faster medians,
/// and checks all figures again (check_figures).
/// @return how many figures were replaced
int replace_unusable(Measured& measured, const Measured& again);

/// Combines several measurements of one figure, oldest first, without those marked as unusable.
///
/// The median is that of the medians of the measurements; the interval includes their medians and
/// is at least as wide as the narrowest of their intervals. With three or more measurements, those
/// whose median differs from the median of all by more than 20 %, and by more than twice as much as
/// half of the measurements do, are outliers: they are left out ("if just one outlier is there, you
/// will easily detect its presence and eliminate it by comparison to other two results": Supalov,
/// Semin, Klemm and Dahnken 2014, chapter 5). The samples are those of all measurements.
Statistic merged(const Statistic& earlier, const Statistic& later);

/// True if figures of both files may be merged: the same host, hardware, system, version of Plait
/// and sizes, measured by Plait.
bool can_merge(const MachineFile& earlier, const MachineFile& later);

/// The part of the figures that a measurement measured.
enum class Part { everything, between_nodes };

/// Adds the figures of an earlier measurement to those of a later one (merged), checks all figures,
/// and counts the measurements. What the later one did not measure is taken from the earlier one:
/// the network, collectives, overlap. What cannot be merged is the later one's: verdicts on
/// overlap, and figures of MPI if the MPI or the network is another one.
/// @param part  what the later file has measured; the rest of it is from the earlier file
/// @pre can_merge(earlier, later)
void merge_into(MachineFile& later, const MachineFile& earlier, Part part);

/// The relative differences of the medians of a figure's measurements, (highest - lowest) / median,
/// without outliers.
struct Variability {
  double median = 0;   ///< over all figures with several measurements; 0 if there is none
  double largest = 0;  ///< of one figure
  std::string of;      ///< the name of the figure that differs most
  int outliers = 0;    ///< measurements of figures that were left out
};
Variability variability_of(const Measured& measured);

}  // namespace plait::machine
