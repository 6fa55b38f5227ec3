// SPDX-License-Identifier: BSD-3-Clause
// Says on standard error what is being measured: one updating line on a terminal, else plain lines.
#include "measure/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

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
  clear();
}

void Progress::part(const std::string& text) {
  const std::string line =
      fmt::format("measuring [{:3.0f} of {:.0f} s] {}", now_s() - begin_s_, total_s_, text);
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{:.79}", line);
  } else {
    fmt::print(stderr, "{}\n", line);
  }
  std::fflush(stderr);
}

void Progress::clear() {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

}  // namespace plait::measure
