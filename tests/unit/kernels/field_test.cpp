// SPDX-License-Identifier: BSD-3-Clause
// The elements of a field are distinct, aligned and zero, and streams use different cache sets.
#include "plait/field.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernels/field_layout.hpp"
#include "plait/error.hpp"
#include "random.hpp"

namespace plait {
namespace {

struct Vector3 {
  double x, y, z;
};
static_assert(sizeof(Vector3) == 24);

struct alignas(128) Wide {
  double value;
};

std::uintptr_t address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

/// Distance in bytes between the cache sets of two rows, for a way of 4096 bytes.
std::size_t set_distance(std::ptrdiff_t bytes) {
  const auto residue = static_cast<std::size_t>(std::abs(bytes)) % 4096;
  return std::min(residue, 4096 - residue);
}

/// Checks what is true of every field, whatever its shape.
template <class T>
void check_shape(const Int3& own, int ghost) {
  SCOPED_TRACE(testing::Message() << own[0] << "x" << own[1] << "x" << own[2] << " ghost " << ghost
                                  << " bytes " << sizeof(T));
  Field<T> field(own, ghost);
  const auto row_bytes = field.stride_y() * static_cast<std::ptrdiff_t>(sizeof(T));
  const auto plane_bytes = field.stride_z() * static_cast<std::ptrdiff_t>(sizeof(T));
  ASSERT_GE(field.stride_y(), own[0] + 2 * ghost);
  ASSERT_GE(field.stride_z(), field.stride_y() * (own[1] + 2 * ghost));
  EXPECT_EQ(address(field.row(0, 0)) % alignof(T), 0U);
  if (row_bytes % 64 == 0) {
    EXPECT_EQ(plane_bytes % 64, 0);
    EXPECT_EQ(address(field.row(own[1] - 1, own[2] - 1)) % 64, 0U);
  }

  // Every element exists, is zero, and shares memory with no other.
  const Box all = field.with_ghosts();
  const auto* memory = static_cast<const std::byte*>(field.view().origin);
  std::vector<std::ptrdiff_t> offsets;
  for (int k = all.first[2]; k < all.last[2]; ++k) {
    for (int j = all.first[1]; j < all.last[1]; ++j) {
      for (int i = all.first[0]; i < all.last[0]; ++i) {
        const auto* element = reinterpret_cast<const std::byte*>(&field(i, j, k));
        ASSERT_EQ(element, field.view().at(i, j, k));
        ASSERT_EQ(element, reinterpret_cast<const std::byte*>(field.row(j, k) + i));
        ASSERT_TRUE(std::all_of(element, element + sizeof(T),
                                [](std::byte byte) { return byte == std::byte{0}; }));
        offsets.push_back(element - memory);
      }
    }
  }
  ASSERT_EQ(offsets.size(), static_cast<std::size_t>(all.cells()));
  ASSERT_TRUE(std::is_sorted(offsets.begin(), offsets.end()));
  for (std::size_t e = 1; e < offsets.size(); ++e) {
    ASSERT_GE(offsets[e] - offsets[e - 1], static_cast<std::ptrdiff_t>(sizeof(T)));
  }
  EXPECT_LE(static_cast<std::size_t>(offsets.back() - offsets.front()) + sizeof(T), field.bytes());
}

TEST(Field, HoldsEveryElementOfAnyShapeAndType) {
  test::Random random(1);
  for (int round = 0; round < 60; ++round) {
    const Int3 own{random.in(1, 40), random.in(1, 12), random.in(1, 9)};
    const int ghost = random.in(0, 3);
    check_shape<double>(own, ghost);
    check_shape<float>(own, ghost);
    check_shape<Vector3>(own, ghost);
    check_shape<char>(own, ghost);
    check_shape<Wide>(own, ghost);
  }
}

TEST(Field, RowsOfDoublesBeginOnCacheLines) {
  const Field<double> field({37, 5, 6}, 2);
  for (int k = -2; k < 8; ++k) {
    for (int j = -2; j < 7; ++j) EXPECT_EQ(address(field.row(j, k)) % 64, 0U);
  }
}

TEST(Field, StreamsOfASweepUseDifferentSets) {
  test::Random random(2);
  std::vector<std::pair<Int3, int>> shapes = {
      {{512, 512, 4}, 0}, {{510, 510, 4}, 1}, {{256, 16, 4}, 0},  {{62, 62, 4}, 1},
      {{64, 64, 4}, 0},   {{30, 126, 3}, 1},  {{1024, 7, 3}, 0},  {{400, 400, 2}, 1},
      {{16, 32, 4}, 0},   {{96, 96, 3}, 1},   {{2048, 30, 2}, 1}, {{4096, 2, 2}, 0}};
  for (int round = 0; round < 300; ++round) {
    shapes.push_back({{random.in(16, 2000), random.in(2, 600), 4}, random.in(0, 3)});
  }
  for (const auto& [own, ghost] : shapes) {
    for (const std::size_t bytes : {1U, 4U, 8U, 16U, 24U}) {
      SCOPED_TRACE(testing::Message()
                   << own[0] << "x" << own[1] << " ghost " << ghost << " of " << bytes << " bytes");
      const detail::FieldLayout layout = detail::field_layout(own, ghost, bytes);
      const auto row = static_cast<std::ptrdiff_t>(layout.row);
      const auto plane = static_cast<std::ptrdiff_t>(layout.plane);
      const std::size_t apart = std::min<std::size_t>(128, layout.row);
      for (const std::ptrdiff_t distance :
           {row, 2 * row, plane, 2 * plane, plane - row, plane + row}) {
        EXPECT_GE(set_distance(distance), apart) << distance;
      }
      // The field that is written starts in other sets than any stream of the one that is read.
      const auto start = static_cast<std::ptrdiff_t>(detail::field_stagger(layout, 1));
      if (layout.size < 16384) {
        EXPECT_EQ(start, 0);
        continue;
      }
      EXPECT_EQ(start % 64, 0);
      for (const std::ptrdiff_t stream : {std::ptrdiff_t{0}, row, -row, plane, -plane}) {
        EXPECT_GE(set_distance(start + stream), apart) << stream;
      }
    }
  }
}

TEST(Field, PaddingIsSmall) {
  // For rows of at least 16 doubles: at most five lines of padding per row, and 16 per plane.
  test::Random random(3);
  for (int round = 0; round < 300; ++round) {
    const Int3 own{random.in(16, 800), random.in(16, 200), random.in(16, 200)};
    const int ghost = random.in(0, 2);
    const detail::FieldLayout layout = detail::field_layout(own, ghost, sizeof(double));
    const auto packed_row = static_cast<std::size_t>(own[0] + 2 * ghost) * sizeof(double);
    const auto rows = static_cast<std::size_t>(own[1] + 2 * ghost);
    EXPECT_LE(layout.row, packed_row + 64 + 4 * 64) << own[0];
    EXPECT_LE(layout.plane, layout.row * rows + 16 * 64) << own[0] << "x" << own[1];
  }
}

TEST(Field, TakesNoMoreMemoryForHugePages) {
  const Field<double> normal({130, 140, 150}, 1, Pages::normal);
  const Field<double> huge({130, 140, 150}, 1, Pages::huge);
  const Field<double> automatic({130, 140, 150}, 1);
  EXPECT_LT(std::max({normal.bytes(), huge.bytes(), automatic.bytes()}),
            std::min({normal.bytes(), huge.bytes(), automatic.bytes()}) + 8192);
  EXPECT_LT(normal.bytes(), 152UL * 142 * 152 * 8);
  const Field<double> small({8, 8, 8}, 1, Pages::huge);
  EXPECT_LT(small.bytes(), 16384U);
  EXPECT_EQ(huge(129, 139, 149), 0.0);
  EXPECT_EQ(huge(-1, -1, -1), 0.0);
}

TEST(Field, FirstTouchCoversAllMemoryWithAnyNumberOfThreads) {
  const int before = omp_get_max_threads();
  for (const int threads : {1, 2, 3, 7, 16}) {
    omp_set_num_threads(threads);
    // More threads than planes, and than rows.
    for (const Int3 own : {Int3{100, 3, 2}, Int3{64, 64, 40}, Int3{9, 1, 1}}) {
      const Field<double> field(own, 1);
      const Box all = field.with_ghosts();
      double sum = 0;
      for (int k = all.first[2]; k < all.last[2]; ++k) {
        for (int j = all.first[1]; j < all.last[1]; ++j) {
          for (int i = all.first[0]; i < all.last[0]; ++i) sum += field(i, j, k);
        }
      }
      EXPECT_EQ(sum, 0.0);
    }
  }
  omp_set_num_threads(before);
}

TEST(Field, MovesAndSwapsWithoutCopies) {
  Field<float> a({10, 11, 12}, 1);
  Field<float> b({10, 11, 12}, 1);
  a(3, 4, 5) = 7;
  const float* memory = a.row(0, 0);
  std::swap(a, b);
  EXPECT_EQ(b.row(0, 0), memory);
  EXPECT_EQ(b(3, 4, 5), 7);
  EXPECT_EQ(a(3, 4, 5), 0);
  const Field<float> c = std::move(b);
  EXPECT_EQ(c.row(0, 0), memory);
  EXPECT_EQ(c.own(), (Box{{0, 0, 0}, {10, 11, 12}}));
  EXPECT_EQ(c.with_ghosts(), (Box{{-1, -1, -1}, {11, 12, 13}}));
}

TEST(Field, TakesTheShapeOfAGrid) {
  struct Grid {
    [[nodiscard]] Int3 own_cells() const { return {4, 5, 6}; }
  };
  const Field<double> field(Grid{}, 2);
  EXPECT_EQ(field.own_cells(), (Int3{4, 5, 6}));
  EXPECT_EQ(field.ghost(), 2);
}

std::string error_of(const Int3& own, int ghost) {
  try {
    const Field<double> field(own, ghost);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Field, RefusesImpossibleShapes) {
  EXPECT_NE(error_of({4, 0, 4}, 1).find("4x0x4 cells with 1 ghost layers: a field needs at least"),
            std::string::npos);
  EXPECT_NE(error_of({4, 4, 4}, -1).find("cannot be negative"), std::string::npos);
  constexpr int huge = std::numeric_limits<int>::max();
  EXPECT_NE(error_of({huge, huge, huge}, huge).find("no memory for 2139"), std::string::npos);
  EXPECT_NE(error_of({100'000, 100'000, 10'000}, 1).find("no memory for 80"), std::string::npos);
}

}  // namespace
}  // namespace plait
