// SPDX-License-Identifier: BSD-3-Clause
// Says on standard error what is being measured: one updating line on a terminal, else plain lines.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

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
    ~Counting();
    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;

  private:
    std::mutex mutex_;
    std::condition_variable end_;
    bool over_ = false;
    std::thread thread_;
  };

private:
  void print() const;
  std::string part_;
  double begin_s_;
  double total_s_;
  bool terminal_;
};

}  // namespace plait::measure
