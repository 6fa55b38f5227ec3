// SPDX-License-Identifier: BSD-3-Clause
// The Jacobi update: every variant gives the same bits as the plain loop and writes only its box.
#include "plait/jacobi_kernel.hpp"

#include <gtest/gtest.h>

#include <random>

#include "kernels/jacobi_box.hpp"
#include "kernels/plain_jacobi.hpp"

namespace plait {
namespace {

using testing::different_cells;
using testing::plain_update;
using testing::randomize;

Box random_box(const Int3& own, std::mt19937& random) {
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto cells = static_cast<unsigned>(own[d]);
    box.first[d] = static_cast<int>(random() % cells);
    box.last[d] = box.first[d] + 1 +
                  static_cast<int>(random() % (cells - static_cast<unsigned>(box.first[d])));
  }
  return box;
}

TEST(JacobiKernel, EveryVariantEqualsThePlainLoopBitByBitAndWritesOnlyItsBox) {
  std::mt19937 random(20100216);
  const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
  for (int trial = 0; trial < 200; ++trial) {
    const Int3 own{1 + below(trial % 8 == 0 ? 700 : 70), 1 + below(11), 1 + below(11)};
    Field<double> now(own, 1 + below(3));
    Field<double> g(own, below(2));
    Field<double> before(own, 1 + below(3));
    randomize(now, random);
    randomize(g, random);
    randomize(before, random);
    const Box box = random_box(own, random);
    const int block_rows = 1 + below(12);
    for (const Field<double>* source :
         {static_cast<const Field<double>*>(nullptr), static_cast<const Field<double>*>(&g)}) {
      Field<double> expected(own, before.ghost());
      Field<double> found(own, before.ghost());
      testing::copy(before, expected);
      plain_update(now, expected, box, source);
      for (const auto set : detail::instruction_sets()) {
        for (const bool streaming : {false, true}) {
          testing::copy(before, found);
          detail::update_box(detail::jacobi_rows(set), streaming, block_rows, now, found, box,
                             source);
          ASSERT_EQ(different_cells(expected, found, found.with_ghosts()), 0)
              << detail::name_of(set) << (streaming ? " streaming " : " cached ") << own[0] << "x"
              << own[1] << "x" << own[2] << " x from " << box.first[0] << " to " << box.last[0];
        }
      }
    }
  }
}

TEST(JacobiKernel, AlsoUpdatesGhostsInTheBox) {
  std::mt19937 random(1);
  const Int3 own{21, 5, 6};
  Field<double> now(own, 4);
  Field<double> expected(own, 4);
  Field<double> found(own, 4);
  randomize(now, random);
  const Box box = grown(now.own(), 3);
  plain_update(now, expected, box, nullptr);
  for (const auto set : detail::instruction_sets()) {
    for (const bool streaming : {false, true}) {
      detail::update_box(detail::jacobi_rows(set), streaming, 100, now, found, box, nullptr);
      EXPECT_EQ(different_cells(expected, found, box), 0) << detail::name_of(set);
    }
  }
}

TEST(JacobiKernel, AnEmptyBoxChangesNothing) {
  Field<double> now({4, 4, 4}, 1);
  Field<double> next({4, 4, 4}, 1);
  now(1, 1, 1) = 6.0;
  const JacobiKernel kernel({4, 4, 4}, 1, 1);
  kernel(now, next, Box{{2, 2, 2}, {2, 4, 4}});
  kernel(now, next, Box{{3, 2, 2}, {1, 4, 4}});
  EXPECT_EQ(different_cells(next, Field<double>({4, 4, 4}, 1), next.with_ghosts()), 0);
}

TEST(JacobiKernel, StreamsWhenFieldsExceedTheCachesUnlessAnotherKindIsChosen) {
  EXPECT_FALSE(JacobiKernel({8, 8, 8}, 1, 1).streaming());
  EXPECT_EQ(JacobiKernel({4000, 4000, 4000}, 1, 1).streaming(), detail::has_streaming_stores());
  EXPECT_FALSE(JacobiKernel({4000, 4000, 4000}, 1, 1, Stores::cached).streaming());
  EXPECT_EQ(JacobiKernel({8, 8, 8}, 1, 1, Stores::streaming).streaming(),
            detail::has_streaming_stores());
}

TEST(JacobiKernel, BlocksSpanTheExtentWhileLayersFitAndAreNeverEmpty) {
  EXPECT_EQ(JacobiKernel({8, 9, 8}, 1, 1).block_rows(), 9);
  EXPECT_EQ(JacobiKernel({1, 1, 1}, 64, 64).block_rows(), 1);
  const int rows = JacobiKernel({1 << 20, 4000, 4}, 64, 64).block_rows();
  EXPECT_GE(rows, 1);
  EXPECT_LT(rows, 4000);
}

TEST(JacobiKernel, UsesTheWidestInstructionSetOfTheCpu) {
  EXPECT_STREQ(JacobiKernel({8, 8, 8}, 1, 1).instruction_set(),
               detail::name_of(detail::instruction_sets().back()));
}

}  // namespace
}  // namespace plait
