// SPDX-License-Identifier: BSD-3-Clause
// Sizes of the blocks of polled updates and tasks.
#include "solve/schedules/blocks.hpp"

#include <algorithm>

namespace plait::solve {

Int3 block_of(const Box& box, std::int64_t cells, const Int3& given) {
  Int3 block = given;
  if (block[0] == 0) block[0] = box.extent(0);
  const auto fitting = [](std::int64_t count, int extent) {
    return static_cast<int>(std::clamp<std::int64_t>(count, 1, std::max(1, extent)));
  };
  if (block[1] == 0) block[1] = fitting(cells / std::max(1, block[0]), box.extent(1));
  if (block[2] == 0) {
    const std::int64_t plane = std::int64_t{block[0]} * block[1];
    block[2] = fitting(cells / std::max<std::int64_t>(1, plane), box.extent(2));
  }
  return block;
}

Int3 polled_block(const Box& box, const Int3& given) {
  return block_of(box, 32768, given);
}

Int3 task_block(const Box& box, int threads, const Int3& given) {
  const std::int64_t tasks_per_thread = 16;
  const std::int64_t share = box.cells() / (tasks_per_thread * std::max(1, threads));
  return block_of(box, std::clamp<std::int64_t>(share, 8192, 262144), given);
}

}  // namespace plait::solve
