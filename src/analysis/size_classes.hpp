// SPDX-License-Identifier: BSD-3-Clause
// Classes of message sizes, by the sizes at which an MPI changes its protocol.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/measured.hpp"

namespace plait::analysis {

struct SizeClasses {
  std::vector<std::uint64_t> limits;  ///< upper ends but the last class', ascending: [from, limit)
  std::string source;                 ///< "measured protocol switches", "ITAC's classes"

  /// Number of the class of a message.
  [[nodiscard]] std::size_t of(std::uint64_t bytes) const;
  /// First size of a class, and first above it (~0: no end).
  [[nodiscard]] std::uint64_t from(std::size_t number) const;
  [[nodiscard]] std::uint64_t to(std::size_t number) const;
};

/// Where a ping-pong curve jumps: the first size of each new protocol. Per byte, the step to that
/// size takes more than twice as much as the steps before and after it, and a fifth of the time.
std::vector<std::uint64_t> protocol_switches(const std::vector<machine::CurvePoint>& curve);

/// The switches of all measured paths, those closer than a factor of two as one; ITAC's (0 to 512,
/// to 32 KiB, above: Intel Trace Analyzer reference, Application Imbalance Diagram) when no machine
/// was measured, or none was found.
SizeClasses size_classes(const machine::Measured* measured);

}  // namespace plait::analysis
