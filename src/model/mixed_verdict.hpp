// SPDX-License-Identifier: BSD-3-Clause
// Judges whether messages inside a node overlap with those between nodes (Stengel 2010, section
// 3.3).
#pragma once

#include <vector>

#include "machine/measured.hpp"

namespace plait::model {

/// The fewest quiet points of a condition that give a verdict.
inline constexpr int kFewestMixedPoints = 3;

/// One verdict for each condition: one sender or two, the protocol of the message between nodes,
/// and the part of rank 0. Points count if the longer message takes at most four times as long as
/// the shorter one. A point is quiet if no rank waited for a CPU during its samples, and each of
/// its figures has at least three samples. The verdict is that of judge_hidden().
std::vector<machine::MixedVerdict> judge_mixed(const machine::Measured& measured);

}  // namespace plait::model
