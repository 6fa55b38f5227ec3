// SPDX-License-Identifier: BSD-3-Clause
// The fraction of the shorter of two activities that another hides, with its interval, and what
// follows from several measurements of it.
#pragma once

#include <string>
#include <vector>

#include "machine/measured.hpp"
#include "model/jacobi_prediction.hpp"

namespace plait::model {

/// The hidden fraction from which on two activities count as overlapping.
inline constexpr double kOverlaps = 0.5;

/// The median of a figure with its interval.
Interval interval_of_median(const machine::Statistic& value);

/// The hidden fraction of the shorter of two activities, 0..1: (one + other - both) / min(one,
/// other). Overlap is the sum of both times less the total (Stengel 2010, section 3.2). The
/// interval has the values for all ends of the three intervals.
Interval hidden_share(const Interval& one, const Interval& other, const Interval& both);

/// Measurements of one kind, such as all with MPI_Isend.
struct HiddenShares {
  std::vector<Interval> quiet;  ///< of measurements that can be relied on
  int disturbed = 0;            ///< measurements during which a rank waited for a CPU
  int unsteady = 0;             ///< measurements while the machine was slower than at others
};

/// What the measurements show.
struct HiddenVerdict {
  Interval share{0, 0, 1};  ///< of the kind that hides least
  int points = 0;           ///< quiet measurements of the kind with the fewest
  bool overlaps = false;    ///< the whole interval of each kind is at least kOverlaps
  bool undecided = false;   ///< nothing can be said
  std::string reason;       ///< why it is undecided
};

/// Judges measurements of several kinds, all of which have to overlap.
///
/// The share of a kind is the median of its measurements. The interval reaches from the median of
/// their lower ends to that of their upper ends, and includes the interval of the median of the
/// shares (base/statistics.hpp). Undecided: a kind has fewer than `fewest` quiet measurements, or
/// its interval contains kOverlaps. One kind that certainly does not overlap decides.
HiddenVerdict judge_hidden(const std::vector<HiddenShares>& kinds, int fewest);

}  // namespace plait::model
