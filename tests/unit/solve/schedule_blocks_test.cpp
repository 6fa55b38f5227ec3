// SPDX-License-Identifier: BSD-3-Clause
// The shares of threads and the blocks of a box contain each cell once, and shares have equal work.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "solve/schedules/blocks.hpp"

namespace {

using plait::Box;
using plait::Int3;

/// Counts how often boxes cover each cell of a range around the origin.
class Coverage {
public:
  void add(const Box& box) {
    for (int k = box.first[2]; k < box.last[2]; ++k) {
      for (int j = box.first[1]; j < box.last[1]; ++j) {
        for (int i = box.first[0]; i < box.last[0]; ++i) ++count_[at(i, j, k)];
      }
    }
  }
  friend bool operator==(const Coverage&, const Coverage&) = default;

private:
  static constexpr int extent = 40;
  static std::size_t at(int i, int j, int k) {
    return static_cast<std::size_t>(i + extent * (j + extent * k));
  }
  std::vector<int> count_ = std::vector<int>(static_cast<std::size_t>(extent) * extent * extent);
};

Box random_box(std::mt19937& random) {
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    box.first[d] = std::uniform_int_distribution(0, 19)(random);
    box.last[d] = box.first[d] + std::uniform_int_distribution(0, 20)(random);
  }
  return box;
}

TEST(Blocks, SharesOfThreadsHoldEachCellOnce) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Box> boxes(static_cast<std::size_t>(trial % 7));
    for (Box& box : boxes) box = random_box(random);
    const int parts = 1 + trial % 9;
    Coverage expected;
    for (const Box& box : boxes) expected.add(box);
    Coverage found;
    for (int part = 0; part < parts; ++part) {
      plait::solve::for_share(boxes, parts, part, [&](const Box& share) { found.add(share); });
    }
    ASSERT_EQ(found, expected) << "trial " << trial;
  }
}

TEST(Blocks, SharesOfABoxDifferByOneRow) {
  const std::vector<Box> box{{{0, 0, 0}, {10, 7, 13}}};
  for (int parts = 1; parts <= 16; ++parts) {
    std::int64_t least = box[0].cells();
    std::int64_t most = 0;
    for (int part = 0; part < parts; ++part) {
      std::int64_t cells = 0;
      int pieces = 0;
      plait::solve::for_share(box, parts, part, [&](const Box& share) {
        cells += share.cells();
        ++pieces;
      });
      EXPECT_LE(pieces, 3) << "the rest of a plane, planes, the beginning of a plane";
      least = std::min(least, cells);
      most = std::max(most, cells);
    }
    EXPECT_LE(most - least, 10) << parts << " parts";
  }
}

TEST(Blocks, BlocksHoldEachCellOnceAndAreNoLargerThanRequested) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const Box box = random_box(random);
    const Int3 block{trial % 4, trial % 5, trial % 3};
    Coverage expected;
    expected.add(box);
    Coverage found;
    plait::solve::for_blocks(box, block, [&](const Box& piece) {
      found.add(piece);
      for (std::size_t d = 0; d < 3; ++d) {
        if (block[d] > 0) {
          EXPECT_LE(piece.last[d] - piece.first[d], block[d]);
        }
      }
    });
    ASSERT_EQ(found, expected) << "trial " << trial;
  }
}

TEST(Blocks, ABlockMayBeLargerThanAnyBox) {
  const Box box{{1, 2, 3}, {4, 5, 6}};
  constexpr int most = std::numeric_limits<int>::max();
  std::vector<Box> pieces;
  plait::solve::for_blocks(box, {most, most, most},
                           [&](const Box& piece) { pieces.push_back(piece); });
  EXPECT_EQ(pieces, std::vector<Box>{box});
}

TEST(Blocks, ChosenBlocksAreRowsThenPlanesAndKeepGivenExtents) {
  const Box box{{0, 0, 0}, {100, 50, 20}};
  EXPECT_EQ(plait::solve::block_of(box, 300, {0, 0, 0}), (Int3{100, 3, 1}));
  EXPECT_EQ(plait::solve::block_of(box, 10000, {0, 0, 0}), (Int3{100, 50, 2}));
  EXPECT_EQ(plait::solve::block_of(box, 1, {0, 0, 0}), (Int3{100, 1, 1}));
  EXPECT_EQ(plait::solve::block_of(box, 1 << 30, {0, 0, 0}), (Int3{100, 50, 20}));
  EXPECT_EQ(plait::solve::block_of(box, 10000, {10, 0, 4}), (Int3{10, 50, 4}));
}

TEST(Blocks, LargeBoxesGiveManyTasksPerThread) {
  const Box box{{0, 0, 0}, {400, 400, 400}};
  for (const int threads : {2, 16, 64}) {
    const Int3 block = plait::solve::task_block(box, threads, {0, 0, 0});
    int tasks = 0;
    plait::solve::for_blocks(box, block, [&](const Box&) { ++tasks; });
    EXPECT_GE(tasks, 12 * threads);
  }
}

}  // namespace
