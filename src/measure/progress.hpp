// SPDX-License-Identifier: BSD-3-Clause
// Shows on standard error what is being measured: one updating line on a terminal, else plain
// lines.
#pragma once

#include <optional>
#include <string>

#include "base/long_work.hpp"

namespace plait::measure {

/// The progress of a whole measurement.
class Progress {
public:
  /// @param total_s  time budget of the measurement
  explicit Progress(double total_s);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Starts a new part: "STREAM, 2 of 4 threads".
  void part(const std::string& text);

  /// Updates the seconds on a terminal while it lives: for a part in which this process waits for
  /// others.
  class Counting {
  public:
    explicit Counting(Progress& progress);

  private:
    std::optional<Ticking> ticking_;
  };

private:
  void print() const;
  std::string part_;
  double begin_s_;
  double total_s_;
  bool terminal_;
};

}  // namespace plait::measure
