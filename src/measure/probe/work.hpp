// SPDX-License-Identifier: BSD-3-Clause
// Work during communication, bound by arithmetic or by memory bandwidth.
#pragma once

#include <cstdint>
#include <optional>

#include "measure/pages.hpp"

namespace plait::measure {

/// The two routines of Stengel 2010, section 3.2, on one core: "a simple loop with purely
/// computational load", here dependent divisions, and "memory bandwidth bound streaming code", here
/// a triad over arrays larger than the last-level cache.
class Work {
public:
  /// Measures the time of a unit of work.
  /// @param region_bytes  of all arrays of the triad; 0: arithmetic instead of the triad
  explicit Work(std::uint64_t region_bytes);

  /// The number of units that take this time, at least 1.
  [[nodiscard]] std::int64_t units_for(double seconds) const;
  void carry_out(std::int64_t units);

private:
  void divide(std::int64_t units);
  void stream(std::int64_t units);

  std::optional<Pages> region_;
  std::size_t at_ = 0;  ///< element of each array at which the triad continues
  double unit_s_ = 0;
  double quotient_ = 1;
};

}  // namespace plait::measure
