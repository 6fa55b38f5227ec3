// SPDX-License-Identifier: BSD-3-Clause
// Progress on a terminal: a line on standard error that says what is being done and for how long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace plait {

/// True when standard error is a terminal on which a line can be rewritten.
bool can_update_a_line();

/// Calls a function every second from its own thread until it is destroyed.
class Ticking {
public:
  explicit Ticking(std::function<void()> tick);
  ~Ticking();
  Ticking(const Ticking&) = delete;
  Ticking& operator=(const Ticking&) = delete;

private:
  std::mutex mutex_;
  std::condition_variable end_;
  bool over_ = false;
  std::thread thread_;
};

/// Shows what is being done and for how long. The destructor clears the line.
///
/// Without a budget it writes only if standard error is a terminal, after the first second:
/// "analysing the trace, 3 s".
///
/// With a budget each part is shown at once: "measuring [  3 of 22 s] STREAM", on a line of its own
/// if standard error is not a terminal. No thread runs, which would disturb a measurement, except
/// while a Counting lives.
class Progress {
public:
  /// @param what   the activity: "reading the trace"
  /// @param quiet  write nothing
  explicit Progress(std::string what, bool quiet = false);

  /// @param what      the activity: "measuring"
  /// @param budget_s  time after which it ends
  Progress(std::string what, double budget_s);

  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Changes the activity, or with a budget its part; the seconds keep counting.
  void part(std::string text);

  /// Updates the seconds while it lives: for a part in which this process waits for others.
  class Counting {
  public:
    explicit Counting(Progress& progress);

  private:
    std::unique_ptr<Ticking> ticking_;
  };

private:
  [[nodiscard]] std::string line() const;
  void print();

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::string what_;
  std::string part_;
  double budget_s_ = 0;
  bool terminal_;
  bool printed_ = false;
  std::unique_ptr<Ticking> ticking_;
};

}  // namespace plait
