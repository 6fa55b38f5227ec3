// SPDX-License-Identifier: BSD-3-Clause
// How large grains are, and how many come before the first communication.
#include <algorithm>
#include <cmath>

#include "plait/grains.hpp"

namespace plait {

int grains_before(int grains, int messages, int threads, double grain_s, double message_s) {
  const int least = std::min(threads, grains);
  if (threads < 2 || messages < 1 || grain_s <= 0 || message_s <= 0) return least;
  const double per_grain_s = grain_s / (threads - 1);
  const double beside = (messages - 1) * message_s / per_grain_s;
  const double before = std::ceil(std::max(0.0, grains - beside));
  return std::clamp(static_cast<int>(before), least, grains);
}

double grain_bytes(std::span<const ExchangeSpeed> speeds) {
  constexpr double kSaturated = 0.9;
  double highest = 0, smallest = 0;
  for (const ExchangeSpeed& speed : speeds) highest = std::max(highest, speed.bytes_per_s);
  for (const ExchangeSpeed& speed : speeds) {
    if (speed.bytes_per_s <= 0 || speed.bytes_per_s < kSaturated * highest) continue;
    if (smallest == 0 || speed.bytes < smallest) smallest = speed.bytes;
  }
  return smallest;
}

}  // namespace plait
