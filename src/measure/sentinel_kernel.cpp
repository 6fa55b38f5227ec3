// SPDX-License-Identifier: BSD-3-Clause
// The sentinel: a kernel of fixed work that accesses no memory.
#include "measure/sentinel_kernel.hpp"

#include <algorithm>
#include <cstdint>

#include "measure/clock.hpp"

namespace plait::measure {

double run_sentinel() {
  constexpr std::int64_t kLinks = 300'000;  // 3 to 5 cycles each: about 0.3 ms
  double best_ns = 0;
  std::uint64_t value = 0x9e3779b97f4a7c15U;
  for (int third = 0; third < 3; ++third) {
    const std::int64_t begin = now_ns();
    for (std::int64_t i = 0; i < kLinks; ++i) {
      value = value * 6364136223846793005U + 1442695040888963407U;
      asm volatile("" : "+r"(value));  // the compiler must not merge or drop links
    }
    const double ns = static_cast<double>(now_ns() - begin) / static_cast<double>(kLinks);
    best_ns = third == 0 ? ns : std::min(best_ns, ns);
  }
  return best_ns;
}

}  // namespace plait::measure
