// SPDX-License-Identifier: BSD-3-Clause
// Progress on a terminal: a line on standard error that says what is being done and for how long.
#include "text/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "text/terminal.hpp"

namespace plait {
namespace {

/// Rewrites the current line on standard error; an empty line clears it.
void update_line(const std::string& line) {
  fmt::print(stderr, "\r\033[K{}", start_of(line, kTerminalColumns - 1));
  std::fflush(stderr);
}

}  // namespace

bool can_update_a_line() {
  const char* const term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
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

Progress::Progress(std::string what, bool quiet)
    : what_(std::move(what)), terminal_(!quiet && can_update_a_line()) {
  if (terminal_) ticking_ = std::make_unique<Ticking>([this] { print(); });
}

Progress::Progress(std::string what, double budget_s)
    : what_(std::move(what)), budget_s_(budget_s), terminal_(can_update_a_line()) {}

Progress::~Progress() {
  ticking_.reset();
  if (printed_ && terminal_) update_line("");
}

void Progress::part(std::string text) {
  {
    const std::lock_guard lock(mutex_);
    (budget_s_ > 0 ? part_ : what_) = std::move(text);
  }
  if (budget_s_ > 0) print();
}

std::string Progress::line() const {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
  if (budget_s_ <= 0) return fmt::format("{}, {:.0f} s", what_, std::floor(passed.count()));
  return fmt::format("{} [{:3.0f} of {:.0f} s] {}", what_, passed.count(), budget_s_, part_);
}

void Progress::print() {
  const std::lock_guard lock(mutex_);
  printed_ = true;
  if (terminal_) return update_line(line());
  fmt::print(stderr, "{}\n", line());
  std::fflush(stderr);
}

Progress::Counting::Counting(Progress& progress) {
  if (progress.terminal_) {
    ticking_ = std::make_unique<Ticking>([&progress] { progress.print(); });
  }
}

}  // namespace plait
