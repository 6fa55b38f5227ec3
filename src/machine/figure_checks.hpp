// SPDX-License-Identifier: BSD-3-Clause
// Checks each measured figure against its interval, its bound and its neighbours.
#pragma once

#include <string>
#include <vector>

#include "machine/measured.hpp"

namespace plait::machine {

/// The largest half width of an interval, relative to the median, of a figure that can be used.
inline constexpr double kWidestUsable = 0.5;

/// Sets Statistic::unusable of each figure (figures.hpp) and Measured::anomalies again.
///
/// Interference makes times too long and rates too low, hardly ever the reverse. So of two figures
/// that contradict each other, the slower one is doubtful. A figure is unusable if
/// - half of its interval is wider than kWidestUsable times the median, or
/// - a thread waited for a CPU in each of its samples, and it is not a figure between nodes, or
/// - it is slower than something that takes at least as long: a cache line (1.5 times) or a memory
///   copy (3 times) than an MPI message of the same path, an exchange both ways (4 times) than half
///   a round trip of the same size and vice versa, STREAM copy (1.5 times) than the traffic of the
///   Jacobi kernel, one of several pairs (3 times) than a pair alone, or
/// - it contradicts its neighbours: a message takes 1.5 times as long as a longer one, a speed on k
///   cores is 15 % below that on fewer cores, the sum of several pairs is half that of fewer pairs;
///   unless both figures are reliable: at least six samples during which no thread waited for a
///   CPU, intervals within 10 %, and a machine whose speed did not change. Then the machine is
///   like that, and the contradiction is an anomaly.
/// Contradictions of reliable neighbours from 10 % on are anomalies, too, such as messages of 0 B
/// that are slower than those of 8 B. Figures from papers (`source`) are not checked.
void check_figures(Measured& measured);

/// The measurements without the unusable figures, for tables.
Measured without_unusable(Measured measured);

/// The unusable figures with their reasons, as a sentence; at most `most` of them are named. Empty
/// if all are usable.
std::string unusable_sentence(const Measured& measured, std::size_t most = 4);

/// What whoever uses the figures must know, as sentences: a changed speed of the machine, time
/// waiting for a CPU, unusable figures. Empty if nothing speaks against them.
std::vector<std::string> reliability_notes(const Measured& measured);

}  // namespace plait::machine
