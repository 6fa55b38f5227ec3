// SPDX-License-Identifier: BSD-3-Clause
// What a command is busy with, on a terminal: a line on standard error that counts the seconds.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace plait {

/// Standard error is a terminal on which a line can be written anew.
bool can_update_a_line();

/// Writes a line over the one before, at most 79 columns; empty: clears it.
void update_line(const std::string& line);

/// Calls a function each second, from a thread of its own, until it is destroyed.
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

/// From its second second on says what is being done and for how long, where standard error is a
/// terminal: "analysing the trace, 3 s". Clears the line at its end.
class LongWork {
public:
  /// @param what  being done: "reading the trace"
  /// @param quiet  nothing is written
  explicit LongWork(std::string what, bool quiet = false);
  ~LongWork();
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

  /// Something else is being done from now on; the seconds go on.
  void part(std::string what);

private:
  void print();

  std::mutex mutex_;
  std::string what_;
  int seconds_ = 0;
  std::unique_ptr<Ticking> ticking_;
};

}  // namespace plait
