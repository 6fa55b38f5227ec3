// SPDX-License-Identifier: BSD-3-Clause
// The network and speed of a prediction: measured, or given on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/machine_file.hpp"
#include "model/jacobi_prediction.hpp"
#include "model/speed_table.hpp"

namespace plait::advise {

/// Figures in place of measured ones, as texts of the command line; empty: as measured.
struct GivenNetwork {
  std::string latency;
  std::string bandwidth;       ///< of several pairs at once
  std::string pair_bandwidth;  ///< of a single pair

  /// True if nothing needs to be measured.
  [[nodiscard]] bool complete() const { return !latency.empty() && !bandwidth.empty(); }
};

/// The network for messages of this size.
/// @throws Error when a figure was neither measured nor given.
model::Link network_of(const GivenNetwork& given, const machine::MachineFile& machine,
                       std::uint64_t message_bytes);

/// Messages between cores of a node, with this bandwidth of all its cores if it is given; empty
/// when they were not measured either.
std::optional<model::Link> inside_of(const std::string& given_bandwidth,
                                     const machine::MachineFile& machine,
                                     std::uint64_t message_bytes);

/// P(k) in flop/s from GFLOP/s on 1, 2, ... cores.
model::SpeedTable given_speed(const std::vector<double>& gflops);

}  // namespace plait::advise
