// SPDX-License-Identifier: BSD-3-Clause
// Says on standard error what is being measured: one updating line on a terminal, else plain lines.
#pragma once

#include <optional>
#include <string>

#include "base/long_work.hpp"

namespace plait::measure {

/// One instance for a whole measurement.
class Progress {
public:
  /// @param total_s  what the measurement may take
  explicit Progress(double total_s);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A new part begins: "STREAM, 2 of 4 threads".
  void part(const std::string& text);

  /// While it lives, the seconds of the current part go on counting on a terminal: for a part in
  /// which other processes work and this one waits.
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
