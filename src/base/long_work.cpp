// SPDX-License-Identifier: BSD-3-Clause
// Progress on a terminal: a line on standard error that says what is being done and for how long.
#include "base/long_work.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace plait {

bool can_update_a_line() {
  const char* const term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

void update_line(const std::string& line) {
  fmt::print(stderr, "\r\033[K{:.79}", line);
  std::fflush(stderr);
}

Ticking::Ticking(std::function<void()> tick) {
  thread_ = std::thread([this, tick = std::move(tick)] {
    std::unique_lock lock(mutex_);
    while (!end_.wait_for(lock, std::chrono::seconds(1), [this] { return over_; })) tick();
  });
}

Ticking::~Ticking() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  end_.notify_one();
  thread_.join();
}

LongWork::LongWork(std::string what, bool quiet) : what_(std::move(what)) {
  if (quiet || !can_update_a_line()) return;
  ticking_ = std::make_unique<Ticking>([this] { print(); });
}

LongWork::~LongWork() {
  if (ticking_ == nullptr) return;
  ticking_.reset();
  if (seconds_ > 0) update_line("");
}

void LongWork::part(std::string what) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
}

void LongWork::print() {
  const std::lock_guard lock(mutex_);
  ++seconds_;
  update_line(fmt::format("{}, {} s", what_, seconds_));
}

}  // namespace plait
