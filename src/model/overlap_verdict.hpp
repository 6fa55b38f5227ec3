// SPDX-License-Identifier: BSD-3-Clause
// Judges from the points of the overlap probe whether an MPI moves messages during computation.
#pragma once

#include <vector>

#include "machine/measured.hpp"
#include "model/jacobi_prediction.hpp"

namespace plait::model {

/// The fewest quiet points of an operation that give a verdict.
inline constexpr int kFewestOverlapPoints = 5;

/// The hidden fraction of the shorter of message and work, with its interval (hidden_share).
Interval hidden_part(const machine::OverlapPoint& point);

/// One verdict for each path, protocol and setting, in the order in which they appear.
///
/// Points count if their work takes between half and twice the time of the message: these can hide
/// most, and a small disturbance changes the others by as much. Only compute-bound work counts;
/// memory-bound work, which competes with the message for memory, is used if there is nothing else.
/// A point is quiet if no rank waited for a CPU during its samples, it has at least three samples,
/// and the sentinel before it took at most 10 % longer than the fastest of the verdict. The verdict
/// is that of judge_hidden() over the operations, so it may be undecided. Combinations without
/// points have no verdict.
std::vector<machine::OverlapVerdict> judge_overlap(const machine::Measured& measured);

}  // namespace plait::model
