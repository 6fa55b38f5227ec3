// SPDX-License-Identifier: BSD-3-Clause
// The model's inputs from a machine file: P(k), and what messages cost on a path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "machine/measured.hpp"
#include "model/jacobi_prediction.hpp"

namespace plait::model {

/// P(k) of the 6-point Jacobi kernel: for each measured number of cores the faster kind of stores,
/// with the confidence interval of its median.
/// @throws Error (input `machine`) when it was not measured.
SpeedTable jacobi_speed(const machine::Measured& measured, const std::string& machine);

/// Latency: time of the smallest ping-ping (Stengel 2010, figure 2.2), else half a round trip.
/// Bandwidths: ping-ping (else ping-pong) of one pair, and of the most pairs that were measured at
/// once (ping-ping, else ping-pong), at the message size nearest to `message_bytes` (ratio).
/// Without several pairs, the one pair's. Empty when latency or bandwidth were not measured.
std::optional<Link> link_of(const machine::Path& path, std::uint64_t message_bytes);

/// The path "network" between nodes. Empty when it was not measured.
std::optional<Link> network_link(const machine::Measured& measured, std::uint64_t message_bytes);

/// The slowest measured path between two cores of a node, which some rank has to take. Empty when
/// none was measured.
std::optional<Link> inside_link(const machine::Measured& measured, std::uint64_t message_bytes);

/// The same for the messages of a halo exchange between the ranks of a node, one on each of its
/// `cores`.
std::optional<Link> inside_link(const machine::Measured& measured, const JacobiCase& of, int cores,
                                int bytes_per_cell);

}  // namespace plait::model
