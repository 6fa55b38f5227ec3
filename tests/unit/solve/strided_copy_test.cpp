// SPDX-License-Identifier: BSD-3-Clause
// Copies between arrays of any order of axes, in any number of shares.
#include "solve/transpose/strided_copy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace plait::solve {
namespace {

/// Strides, in bytes, of an array of these extents with axes in this order and some padding.
Long3 strides_of(const Long3& extents, const std::array<int, 3>& order, std::int64_t bytes) {
  Long3 strides{};
  std::int64_t stride = bytes;
  for (const int axis : order) {
    strides[static_cast<std::size_t>(axis)] = stride;
    stride *= extents[static_cast<std::size_t>(axis)] + axis;
  }
  return strides;
}

constexpr std::array<std::array<int, 3>, 4> orders{{{0, 1, 2}, {1, 0, 2}, {2, 1, 0}, {2, 0, 1}}};

TEST(StridedCopies, MoveEachElementWhateverTheOrderAndTheNumberOfShares) {
  const Long3 extents{19, 3, 5};
  for (const std::int64_t bytes : {4, 8, 16, 24}) {
    for (const auto& from_order : orders) {
      for (const auto& to_order : orders) {
        const Long3 a = strides_of(extents, from_order, bytes);
        const Long3 b = strides_of(extents, to_order, bytes);
        std::vector<std::byte> source(20'000), target(20'000), expected(20'000);
        for (std::size_t i = 0; i < source.size(); ++i) {
          source[i] = static_cast<std::byte>(i * 7 % 251);
          target[i] = expected[i] = std::byte{255};
        }
        for (std::int64_t i = 0; i < extents[0] * extents[1] * extents[2] * bytes; ++i) {
          const std::int64_t e = i / bytes;
          const Long3 at{e % 19, e / 19 % 3, e / 57};
          const auto place = [&](const Long3& stride) {
            return static_cast<std::size_t>(at[0] * stride[0] + at[1] * stride[1] +
                                            at[2] * stride[2] + i % bytes);
          };
          expected[place(b) + 8] = source[place(a)];
        }
        StridedCopies copies;
        copies.add({0, 0, a}, {1, 8, b}, extents, static_cast<std::size_t>(bytes));
        EXPECT_EQ(copies.bytes(), 19 * 3 * 5 * bytes);
        const std::array<std::byte*, 2> memory{source.data(), target.data()};
        const int parts = 1 + static_cast<int>(bytes) % 7;
        for (int part = parts - 1; part >= 0; --part) copies.run(memory, part, parts);
        EXPECT_EQ(target, expected);
      }
    }
  }
}

TEST(StridedCopies, SetZeros) {
  std::vector<std::byte> target(100, std::byte{1});
  StridedCopies copies;
  copies.add_zeros({0, 4, {4, 40, 80}}, {3, 2, 1}, 4);
  copies.add_zeros({0, 0, {40, 4, 80}}, {2, 1, 1}, 2);
  copies.add({0, 0, {1, 1, 1}}, {0, 0, {1, 1, 1}}, {0, 5, 5}, 1);
  const std::array<std::byte*, 1> memory{target.data()};
  copies.run(memory, 0, 2);
  copies.run(memory, 1, 2);
  for (std::size_t i = 0; i < target.size(); ++i) {
    const bool rows = (i >= 4 && i < 16) || (i >= 44 && i < 56);
    const bool pieces = i < 2 || (i >= 40 && i < 42);
    EXPECT_EQ(target[i] == std::byte{0}, rows || pieces) << i;
  }
}

}  // namespace
}  // namespace plait::solve
