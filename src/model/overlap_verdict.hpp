// SPDX-License-Identifier: BSD-3-Clause
// Judges from the points of the overlap probe whether an MPI moves messages during computation.
#pragma once

#include <vector>

#include "machine/measured.hpp"

namespace plait::model {

/// The hidden fraction of the shorter of message and work, 0..1: (alone + work - total) /
/// min(alone, work). Overlap is the sum of both times less the total (Stengel 2010, section 3.2).
double hidden_part(const machine::OverlapPoint& point);

/// One verdict for each path, protocol and setting, in the order in which they appear.
///
/// The value of an operation is the median of hidden_part() over its points whose work takes
/// between half and twice the time of the message: these can hide most, and a small disturbance
/// changes the others by as much. Only compute-bound work counts; memory-bound work, which competes
/// with the message for memory, is used if there is nothing else. `overlapped` is the value of the
/// operation that hides less. The MPI progresses if that is at least one half. Combinations without
/// such points have no verdict.
std::vector<machine::OverlapVerdict> judge_overlap(const machine::Measured& measured);

}  // namespace plait::model
