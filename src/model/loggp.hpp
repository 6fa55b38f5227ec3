// SPDX-License-Identifier: BSD-3-Clause
// Fits LogGP parameters and protocol switches to the measurements on a path.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/measured.hpp"
#include "model/segmented_regression.hpp"

namespace plait::model {

inline constexpr const char* kEagerToRendezvous = "eager_to_rendezvous";
inline constexpr const char* kUnnamedSwitch = "unnamed";

/// The linear pieces of half a ping-pong round trip: x in bytes, y in microseconds, with errors
/// from the intervals of the medians. Unusable figures (machine/figure_checks.hpp) are left out
/// here and in all fits. Empty for fewer than eight sizes.
std::vector<Segment> pingpong_segments(const machine::Path& path);

/// The sizes at which one piece ends and the next begins, and the kind of each switch.
///
/// The jump is the height of the later line above the earlier one at the last size before the
/// switch, because protocol limits are such sizes. It is 0 when the later line is steeper and both
/// lines meet before the next size: then the curve bends and does not jump.
/// If the probe observed which sizes are eager (`mpi_eager`), the switch between the two kinds is
/// named eager_to_rendezvous. Otherwise that name goes to the upward jump that is largest relative
/// to the time before it, if it is at least half the time of the shortest message: the handshake is
/// a message in each direction (LogGOPSim, Hoefler, Schneider and Lumsdaine 2010, section 2), or a
/// system call if the kernel copies the data. All other switches stay "unnamed", because the reason
/// for the change (a full cache, the start of a pipeline) is unknown.
std::vector<machine::ProtocolSwitch> protocol_switches(const machine::Path& path);

/// The parameters of LogP (Culler et al. 1993: L, o, g), LogGP (Alexandrov, Ionescu, Schauser and
/// Scheiman 1995: G) and LogGOPS (O, here the same for both sides):
///
/// - L + 2 o, measured: half a round trip of 0 bytes, the start of the first piece.
/// - G, measured: the slope of the last piece, that of long messages. That slope is G + 2 O, but G
/// gets
///   all of it: either no CPU copies rendezvous messages, or the copy is already part of L + n G.
/// - o, measured: the mean of `mpi_overheads` at the smallest size. Otherwise inferred: half of the
///   difference between the smallest message and a cache line (`bare_line_us`), or 0 if that was
///   not measured; between 0 and half of the smallest message.
/// - g, measured: the time per message of many consecutive smallest messages (`mpi_back_to_back`),
///   at least o. Otherwise inferred: o; the upper end is an exchange of ping-ping, in which each
///   side sends one message.
/// - L: L + 2 o less 2 o; measured if o is.
/// - O, measured: the slope of `mpi_overheads` by size, mean of both sides. Otherwise inferred: 0;
///   the upper end is half of the slope of the longest eager messages.
/// - eager limit: the longest size that was observed to be eager, or the last size before the
/// switch
///   eager_to_rendezvous, whichever is longer.
///
/// Intervals are 95 % intervals of medians and slopes; the width of a difference is the sum of both
/// widths.
/// @return empty for fewer than eight sizes of ping-pong
std::optional<machine::LogGp> loggp_of(const machine::Path& path);

/// Sets all fits to the measured figures: `loggp` and `switches` of each path, and the verdicts on
/// overlap (overlap_verdict.hpp, mixed_verdict.hpp). Does nothing for figures from papers
/// (`source`).
void add_fits(machine::Measured& measured);

}  // namespace plait::model
