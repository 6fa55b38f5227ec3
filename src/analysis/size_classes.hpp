// SPDX-License-Identifier: BSD-3-Clause
// Classes of message sizes, by the sizes at which an MPI switches protocols.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/measured.hpp"

namespace plait::analysis {

struct SizeClasses {
  std::vector<std::uint64_t> limits;  ///< upper limits of all classes but the last, ascending
  std::string source;                 ///< "measured protocol switches", "ITAC's classes"

  /// The class of a message size.
  [[nodiscard]] std::size_t of(std::uint64_t bytes) const;
  /// The range [from, to) of a class; `to` is ~0 for the last.
  [[nodiscard]] std::uint64_t from(std::size_t number) const;
  [[nodiscard]] std::uint64_t to(std::size_t number) const;
};

/// The sizes at which a ping-pong curve jumps: the first size of each new protocol. The step to
/// that size costs more than twice as much per byte as the steps around it, and at least a fifth of
/// the time.
std::vector<std::uint64_t> protocol_switches(const std::vector<machine::CurvePoint>& curve);

/// ITAC's classes: 0 to 512, to 32 KiB, above (Intel Trace Analyzer reference, Application
/// Imbalance Diagram).
SizeClasses itac_classes();

/// Classes by the protocol switches of all measured paths; switches closer than a factor of two
/// count once. Without measurements or switches, ITAC's classes.
/// @param measured  of the machine; may be null
SizeClasses size_classes(const machine::Measured* measured);

}  // namespace plait::analysis
