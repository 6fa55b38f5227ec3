// SPDX-License-Identifier: BSD-3-Clause
// Tries all blocks that divide the grid and maps processes to the best.
#include "nodecart.hpp"

#include <cstddef>

namespace plait::bench {
namespace {

class Blocks {
public:
  explicit Blocks(const mapping::Cartesian& grid) : grid_(grid) {}

  std::vector<int> best(int volume) {
    extend(volume, {});
    return best_;
  }

private:
  void extend(int left, std::vector<int> block) {
    const std::size_t d = block.size();
    if (d == grid_.dims.size()) {
      if (left == 1) judge(block);
      return;
    }
    for (int extent = 1; extent <= left; ++extent) {
      if (left % extent != 0 || grid_.dims[d] % extent != 0) continue;
      block.push_back(extent);
      extend(left / extent, block);
      block.pop_back();
    }
  }

  void judge(const std::vector<int>& block) {
    double surface = 0;
    for (std::size_t d = 0; d < block.size(); ++d) {
      // A full stencil sends about the same amount across each axis.
      const bool weighted = grid_.stencil == mapping::Stencil::faces && !grid_.bytes.empty();
      double face = weighted ? grid_.bytes[d] : 1;
      for (std::size_t e = 0; e < block.size(); ++e) {
        if (e != d) face *= block[e];
      }
      surface += 2 * face;
    }
    if (!best_.empty() && surface >= least_) return;
    least_ = surface;
    best_ = block;
  }

  const mapping::Cartesian& grid_;
  std::vector<int> best_;
  double least_ = 0;
};

}  // namespace

std::vector<int> nodecart(const mapping::Cartesian& grid, int capacity) {
  const std::vector<int> block = Blocks(grid).best(capacity);
  std::vector<int> node_of;
  for (int process = 0; !block.empty() && process < grid.size(); ++process) {
    int rest = process;
    int node = 0;
    int stride = 1;
    for (std::size_t d = block.size(); d-- > 0;) {
      node += rest % grid.dims[d] / block[d] * stride;
      stride *= grid.dims[d] / block[d];
      rest /= grid.dims[d];
    }
    node_of.push_back(node);
  }
  return node_of;
}

}  // namespace plait::bench
