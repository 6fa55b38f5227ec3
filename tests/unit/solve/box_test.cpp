// SPDX-License-Identifier: BSD-3-Clause
// Properties of boxes: intersection, growth and shifts.
#include "plait/box.hpp"

#include <gtest/gtest.h>

#include "random.hpp"

namespace plait {
namespace {

Box random_box(test::Random& random) {
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    box.first[d] = random.in(-4, 6);
    box.last[d] = box.first[d] + random.in(-2, 7);
  }
  return box;
}

template <class Use>
void for_cells_around(const Use& use) {
  for (int k = -8; k < 16; ++k) {
    for (int j = -8; j < 16; ++j) {
      for (int i = -8; i < 16; ++i) use(Int3{i, j, k});
    }
  }
}

TEST(Box, HasAsManyCellsAsItContains) {
  test::Random random(41);
  for (int round = 0; round < 30; ++round) {
    const Box box = random_box(random);
    std::int64_t contained = 0;
    for_cells_around([&](const Int3& cell) { contained += box.contains(cell) ? 1 : 0; });
    EXPECT_EQ(box.cells(), contained);
    EXPECT_EQ(box.empty(), contained == 0);
  }
  EXPECT_EQ((Box{{0, 0, 0}, {2'000'000, 2'000'000, 2}}).cells(), 8'000'000'000'000);
}

TEST(Box, IntersectionHoldsTheCellsOfBoth) {
  test::Random random(42);
  for (int round = 0; round < 30; ++round) {
    const Box a = random_box(random);
    const Box b = random_box(random);
    const Box both = intersection(a, b);
    for_cells_around([&](const Int3& cell) {
      ASSERT_EQ(both.contains(cell), a.contains(cell) && b.contains(cell));
    });
    EXPECT_EQ(both.cells(), intersection(b, a).cells());
  }
}

TEST(Box, GrowsShrinksAndShifts) {
  const Box box{{0, 0, 0}, {5, 4, 3}};
  EXPECT_EQ(grown(box, 2), (Box{{-2, -2, -2}, {7, 6, 5}}));
  EXPECT_EQ(grown(grown(box, 3), -3), box);
  EXPECT_EQ(grown(box, -1), (Box{{1, 1, 1}, {4, 3, 2}}));
  EXPECT_TRUE(grown(box, -2).empty());
  EXPECT_EQ(shifted(shifted(box, {1, -2, 3}), {-1, 2, -3}), box);
}

}  // namespace
}  // namespace plait
