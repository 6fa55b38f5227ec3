// SPDX-License-Identifier: BSD-3-Clause
// LogGP parameters and protocol switches of a path, from what was measured on it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/measured.hpp"
#include "model/segmented_regression.hpp"

namespace plait::model {

inline constexpr const char* kEagerToRendezvous = "eager_to_rendezvous";
inline constexpr const char* kUnnamedSwitch = "unnamed";

/// The pieces of the ping-pong's half round trips: x bytes, y microseconds, the errors from the
/// intervals of the medians. Empty with fewer than eight sizes.
std::vector<Segment> pingpong_segments(const machine::Path& path);

/// Where one piece ends and the next begins, and what kind of switch that is.
///
/// The jump is what the later line is above the earlier one at the last size before the switch,
/// since limits are such sizes; 0 when the later line is steeper and both meet before the next
/// size, for then the curve bends and does not jump.
/// Where the probe saw which sizes are eager (`mpi_eager`), the switch between the two kinds is
/// called eager_to_rendezvous. Without that, a jump up is when it is at least half of the shortest
/// message's time and, by the time before it, the largest of the curve: the handshake is a message
/// there and one back (LogGOPSim, Hoefler, Schneider and Lumsdaine 2010, section 2), where a kernel
/// copies it is the call. All others stay "unnamed": what changes there (a cache is full, a
/// pipeline begins) is not known.
std::vector<machine::ProtocolSwitch> protocol_switches(const machine::Path& path);

/// The parameters of LogP (Culler et al. 1993: L, o, g), LogGP (Alexandrov, Ionescu, Schauser and
/// Scheiman 1995: G) and LogGOPS (O), which holds here for both sides alike:
///
/// - L + 2 o, measured: half a round trip of 0 bytes, where the first piece begins.
/// - G + 2 O, measured: the slope of the last piece, of long messages. G: that slope whole, since
///   rendezvous messages are moved while no processor copies, or one that L + n G already has.
/// - o, measured: mean of `mpi_overheads` at the least size. Without them inferred: half of what
///   the least message takes longer than a bare cache line (`bare_line_us`), from 0 to half a
///   least message; without that either it is 0, from 0 to half a least message.
/// - g, measured: time of one of many least messages, one behind the other (`mpi_back_to_back`);
///   never less than o. Without them o is taken, and the exchange of ping-ping is the upper end: a
///   side sends one message in it.
/// - L: the first less 2 o; measured when o is.
/// - O, measured: slope of `mpi_overheads` by size, mean of both sides. Without them inferred: 0,
///   with half of the slope of the longest eager messages as the upper end.
/// - eager limit: the longest size that was seen to be eager, or the last one before the switch
///   eager_to_rendezvous, whichever is longer.
///
/// Intervals are 95 %, of medians and slopes; a difference has the sum of both widths.
/// Empty with fewer than eight sizes of ping-pong.
std::optional<machine::LogGp> loggp_of(const machine::Path& path);

/// Sets `loggp` and `switches` of each path, and the verdicts on overlap (overlap_verdict.hpp):
/// what follows from the measured figures. Does nothing to figures from papers (`source`).
void add_fits(machine::Measured& measured);

}  // namespace plait::model
