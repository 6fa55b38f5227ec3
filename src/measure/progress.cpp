// SPDX-License-Identifier: BSD-3-Clause
// Shows on standard error what is being measured: one updating line on a terminal, else plain
// lines.
#include "measure/progress.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "measure/clock.hpp"

namespace plait::measure {

Progress::Progress(double total_s)
    : begin_s_(now_s()), total_s_(total_s), terminal_(can_update_a_line()) {}

Progress::~Progress() {
  if (terminal_) update_line("");
}

void Progress::part(const std::string& text) {
  part_ = text;
  print();
}

void Progress::print() const {
  const std::string line =
      fmt::format("measuring [{:3.0f} of {:.0f} s] {}", now_s() - begin_s_, total_s_, part_);
  if (terminal_) return update_line(line);
  fmt::print(stderr, "{}\n", line);
  std::fflush(stderr);
}

Progress::Counting::Counting(Progress& progress) {
  if (progress.terminal_) ticking_.emplace([&progress] { progress.print(); });
}

}  // namespace plait::measure
