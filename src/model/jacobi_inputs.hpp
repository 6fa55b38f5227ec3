// SPDX-License-Identifier: BSD-3-Clause
// Reads the inputs of the model from a machine file: P(k), and the cost of messages on a path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "machine/measured.hpp"
#include "model/jacobi_prediction.hpp"

namespace plait::model {

/// True if P(k) has a usable figure (machine/figure_checks.hpp).
bool knows_jacobi_speed(const machine::Measured& measured);

/// P(k) of the 6-point Jacobi kernel: for each measured number of cores the faster kind of stores,
/// with the confidence interval of its median. Unusable figures are left out. The interval of fewer
/// than six samples is at least 5 % of the median for each missing one, on either side; the same
/// is true of the functions below.
/// @param machine  its name, for the message
/// @throws Error when no P(k) is usable.
SpeedTable jacobi_speed(const machine::Measured& measured, const std::string& machine);

/// The cost of messages on a path.
/// Latency: the time of the smallest ping-ping (Stengel 2010, figure 2.2), else half a round trip.
/// Bandwidths: of one pair, and of the largest number of pairs that were measured at once, at the
/// message size closest to `message_bytes` by ratio. Both come from ping-ping, else from ping-pong.
/// Without measurements of several pairs, both are that of one pair. Unusable figures are left out.
/// @return empty when latency or bandwidth were not measured
std::optional<Link> link_of(const machine::Path& path, std::uint64_t message_bytes);

/// link_of() the path "network" between nodes; empty when it was not measured.
std::optional<Link> network_link(const machine::Measured& measured, std::uint64_t message_bytes);

/// Bytes per second that a node sends to others while all processes of all nodes exchange messages
/// (MPI_Alltoall), measured on the number of nodes, then of processes per node, that are nearest by
/// ratio; empty when it was not measured. The time of messages between two measured sizes is
/// interpolated; other messages have the bandwidth of the nearest size.
std::optional<Interval> all_to_all_bandwidth(const machine::Measured& measured, int nodes,
                                             int per_node, std::uint64_t message_bytes);

/// link_of() the slowest measured path between two cores of a node, which some ranks have to use;
/// empty when none was measured.
std::optional<Link> inside_link(const machine::Measured& measured, std::uint64_t message_bytes);

/// The same for the message size of a halo exchange between the ranks of a node, with one rank on
/// each of its `cores`.
std::optional<Link> inside_link(const machine::Measured& measured, const JacobiCase& of, int cores,
                                int bytes_per_cell);

}  // namespace plait::model
