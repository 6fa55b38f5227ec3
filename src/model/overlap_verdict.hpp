// SPDX-License-Identifier: BSD-3-Clause
// Judges whether an MPI moves messages while a program computes, from the overlap probe's points.
#pragma once

#include <vector>

#include "machine/measured.hpp"

namespace plait::model {

/// Part of the shorter of message and work that the other hid, 0..1: (alone + work - total) /
/// min(alone, work). Formal overlap is what the whole is shorter than the sum (Stengel 2010,
/// section 3.2).
double hidden_part(const machine::OverlapPoint& point);

/// A verdict for each path, protocol and setting, in the order in which they appear.
///
/// An operation hides the median of hidden_part() over its points with work between half and twice
/// the message's time (there most can be hidden; of others a small disturbance hides as much).
/// Points with compute-bound work decide, those with memory-bound work only where there are no
/// others: the message itself needs the memory. `overlapped` is that of the operation that hides
/// less; the MPI progresses when it is at least one half. Combinations without such points have no
/// verdict.
std::vector<machine::OverlapVerdict> judge_overlap(const machine::Measured& measured);

}  // namespace plait::model
