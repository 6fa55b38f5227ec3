// SPDX-License-Identifier: BSD-3-Clause
// Work for a processor that communicates meanwhile: bound by its arithmetic, or by memory.
#pragma once

#include <cstdint>
#include <optional>

#include "measure/pages.hpp"

namespace plait::measure {

/// Stengel's two routines (2010, section 3.2): "a simple loop with purely computational load", here
/// divisions that wait for each other, and "memory bandwidth bound streaming code", here a triad
/// over arrays beyond the last-level cache; on one core.
class Work {
public:
  /// Finds out how long a unit takes.
  /// @param region_bytes  for the triad's arrays together; 0: arithmetic only
  explicit Work(std::uint64_t region_bytes);

  [[nodiscard]] std::int64_t units_for(double seconds) const;
  void carry_out(std::int64_t units);

private:
  void divide(std::int64_t units);
  void stream(std::int64_t units);

  std::optional<Pages> region_;
  std::size_t at_ = 0;  ///< element of each array at which the triad goes on
  double unit_s_ = 0;
  double quotient_ = 1;
};

}  // namespace plait::measure
