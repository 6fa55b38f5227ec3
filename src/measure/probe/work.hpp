// SPDX-License-Identifier: BSD-3-Clause
// Work during communication, bound by arithmetic or by memory bandwidth.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "measure/pages.hpp"

namespace plait::measure {

/// The two routines of Stengel 2010, section 3.2: "a simple loop with purely computational load",
/// here dependent divisions on one core, and "memory bandwidth bound streaming code", here a triad
/// over arrays larger than the last-level cache. "In order to fully exhaust memory bus", other
/// threads stream, too, each over its own part.
class Work {
public:
  /// Starts the threads and measures the time of a unit of work.
  /// @param region_bytes  of all arrays of the triad; 0: arithmetic instead of the triad
  /// @param pus           hardware threads of the other threads, one for each
  explicit Work(std::uint64_t region_bytes, const std::vector<int>& pus = {});
  ~Work();
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  /// The number of units that take this time, at least 1.
  [[nodiscard]] std::int64_t units_for(double seconds) const;
  /// Carries out this many units on each thread, and waits for all.
  void carry_out(std::int64_t units);
  /// The threads that work, the caller among them.
  [[nodiscard]] int threads() const { return 1 + static_cast<int>(helpers_.size()); }

private:
  /// A thread's part of the triad.
  struct Part {
    explicit Part(std::uint64_t bytes);
    void stream(std::int64_t units);

    Pages region;
    std::size_t at = 0;  ///< element of each array at which the triad continues
  };

  void divide(std::int64_t units);
  void help(std::uint64_t bytes, int pu);

  std::unique_ptr<Part> own_;
  double unit_s_ = 0;
  double quotient_ = 1;
  std::atomic<std::int64_t> units_{0};  ///< for the helpers; negative: end
  std::atomic<int> round_{0};           ///< changes when there is work
  std::atomic<int> at_work_{0};         ///< helpers that have not finished
  std::vector<std::thread> helpers_;
};

}  // namespace plait::measure
