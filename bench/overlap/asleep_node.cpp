// SPDX-License-Identifier: BSD-3-Clause
// Sleeps in short pieces, so that the speed follows the number of active threads.
#include "asleep_node.hpp"

#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <cmath>

namespace plait::bench {

namespace {

constexpr double kPiece_s = 200e-6;
constexpr double kSameSweep_s = 100e-6;  ///< between consecutive calls

double now_s() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void sleep_until(double s) {
  timespec time{};
  time.tv_sec = static_cast<time_t>(s);
  time.tv_nsec = static_cast<long>((s - std::floor(s)) * 1e9);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
}

}  // namespace

double AsleepNode::speed_of_one() const {
  const int threads = std::max(1, working_.load());
  const auto entry = std::min<std::size_t>(static_cast<std::size_t>(threads), cells_per_s_.size());
  return cells_per_s_[entry - 1] / threads;
}

void AsleepNode::work(std::int64_t cells) {
  // Wake within a microsecond of the requested time; the default is fifty.
  static thread_local const int slack = prctl(PR_SET_TIMERSLACK, 1000);
  static_cast<void>(slack);
  static thread_local double credit = 0, last_end = 0;

  working_.fetch_add(1);
  double start = now_s();
  if (start - last_end > kSameSweep_s) credit = 0;
  double left = static_cast<double>(cells) - credit;
  while (left > 0) {
    const double speed = speed_of_one();
    sleep_until(start + std::min(left / speed, kPiece_s));
    const double end = now_s();
    left -= (end - start) * speed;
    start = end;
  }
  credit = -left;
  last_end = start;
  working_.fetch_sub(1);
}

}  // namespace plait::bench
