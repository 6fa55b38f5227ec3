// SPDX-License-Identifier: BSD-3-Clause
// Says on standard error what is being measured: one updating line on a terminal, else plain lines.
#include "measure/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "measure/clock.hpp"

namespace plait::measure {
namespace {

bool can_update_a_line() {
  const char* const term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

Progress::Progress(double total_s)
    : begin_s_(now_s()), total_s_(total_s), terminal_(can_update_a_line()) {}

Progress::~Progress() {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

void Progress::part(const std::string& text) {
  part_ = text;
  print();
}

void Progress::print() const {
  const std::string line =
      fmt::format("measuring [{:3.0f} of {:.0f} s] {}", now_s() - begin_s_, total_s_, part_);
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{:.79}", line);
  } else {
    fmt::print(stderr, "{}\n", line);
  }
  std::fflush(stderr);
}

Progress::Counting::Counting(Progress& progress) {
  if (!progress.terminal_) return;
  thread_ = std::thread([this, &progress] {
    std::unique_lock lock(mutex_);
    while (!end_.wait_for(lock, std::chrono::seconds(1), [this] { return over_; })) {
      progress.print();
    }
  });
}

Progress::Counting::~Counting() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  end_.notify_one();
  thread_.join();
}

}  // namespace plait::measure
