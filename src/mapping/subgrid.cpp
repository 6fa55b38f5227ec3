// SPDX-License-Identifier: BSD-3-Clause
// Computes the surfaces of sticks, blocks and cubes of subdomains.
#include "mapping/subgrid.hpp"

#include <cmath>

namespace plait::mapping {
namespace {

std::int64_t surface(const Int3& box) {
  return 2 * (std::int64_t{box[0]} * box[1] + std::int64_t{box[1]} * box[2] +
              std::int64_t{box[2]} * box[0]);
}

}  // namespace

SubgridSurface subgrid_surface(int cores) {
  SubgridSurface result;
  result.cores = cores;
  result.block = {1, 1, cores};
  result.stick = surface(result.block);
  for (int x = 1; std::int64_t{x} * x * x <= cores; ++x) {
    if (cores % x != 0) continue;
    const int rest = cores / x;
    for (int y = x; std::int64_t{y} * y <= rest; ++y) {
      if (rest % y != 0) continue;
      const Int3 box{x, y, rest / y};
      if (surface(box) < surface(result.block)) result.block = box;
    }
  }
  result.of_block = surface(result.block);
  result.cube = 6 * std::pow(cores, 2.0 / 3);
  result.scattered = std::int64_t{6} * cores;
  return result;
}

}  // namespace plait::mapping
