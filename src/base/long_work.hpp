// SPDX-License-Identifier: BSD-3-Clause
// Progress on a terminal: a line on standard error that says what is being done and for how long.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace plait {

/// True when standard error is a terminal on which a line can be rewritten.
bool can_update_a_line();

/// Rewrites the current line on standard error, cut to 79 columns; an empty line clears it.
void update_line(const std::string& line);

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

/// After the first second, shows what is being done and for how long if standard error is a
/// terminal: "analysing the trace, 3 s". The destructor clears the line.
class LongWork {
public:
  /// @param what   the activity: "reading the trace"
  /// @param quiet  write nothing
  explicit LongWork(std::string what, bool quiet = false);
  ~LongWork();
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

  /// Changes the activity that is shown; the seconds keep counting.
  void part(std::string what);

private:
  void print();

  std::mutex mutex_;
  std::string what_;
  int seconds_ = 0;
  std::unique_ptr<Ticking> ticking_;
};

}  // namespace plait
