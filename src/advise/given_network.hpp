// SPDX-License-Identifier: BSD-3-Clause
// The network of a prediction: measured, or given on the command line.
#pragma once

#include <cstdint>
#include <string>

#include "machine/machine_file.hpp"
#include "model/jacobi_prediction.hpp"

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

}  // namespace plait::advise
