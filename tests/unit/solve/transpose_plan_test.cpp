// SPDX-License-Identifier: BSD-3-Clause
// The geometry of transposes on simulated ranks: uneven blocks, truncation, chunks, and numbers
// beyond 32 bits.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "solve/transpose/plan.hpp"

namespace plait::solve {
namespace {

using Element = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

/// For each axis, the index among all of a kept index.
std::vector<std::int64_t> kept_indices(const TransposeShape& shape, std::size_t axis) {
  std::vector<std::int64_t> result;
  std::vector<IndexRange> ranges = shape.kept[axis];
  if (ranges.empty()) ranges.push_back({0, shape.extents[axis]});
  for (const IndexRange& range : ranges) {
    for (std::int64_t i = range.first; i < range.last; ++i) result.push_back(i);
  }
  return result;
}

/// The element of a side's array at which a kept element is, found one by one.
Element local_element(const TransposeGeometry& plan, Side side, int rank, const Long3& kept) {
  Long3 at{};
  for (int axis = 0; axis < 3; ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    int found = 0;
    for (const Segment& s : plan.segments(side, rank, axis, {kept[d], kept[d] + 1})) {
      at[d] = s.local;
      ++found;
    }
    EXPECT_EQ(found, 1);
    EXPECT_GE(at[d], 0);
    EXPECT_LT(at[d], plan.extents(side, rank)[d]);
  }
  return {at[0], at[1], at[2]};
}

/// Every kept element travels once, from where it is to where it belongs, in the chunks as in the
/// whole, and the gaps are all other elements of the destination.
void check(const TransposeShape& shape, int ranks, int chunks, int chunk_axis) {
  ASSERT_FALSE(shape_error(shape, ranks).has_value()) << shape_error(shape, ranks)->what();
  const TransposeGeometry plan(shape, ranks, chunks, chunk_axis);
  const auto full_on = shape.expands ? Side::to : Side::from;
  for (const bool in_chunks : {false, true}) {
    std::map<Element, int> travels;
    std::map<std::pair<int, Element>, int> filled;
    const int first = in_chunks ? 0 : whole_transpose;
    const int last = in_chunks ? chunks : whole_transpose + 1;
    for (int chunk = first; chunk < last; ++chunk) {
      for (int receiver = 0; receiver < ranks; ++receiver) {
        std::map<std::int64_t, int> planes;
        for (const IndexRange& range : plan.planes(Side::to, receiver, chunk)) {
          for (std::int64_t i = range.first; i < range.last; ++i) ++planes[i];
        }
        for (int sender = 0; sender < ranks; ++sender) {
          const KeptBox box = plan.box(sender, receiver, chunk);
          for (auto x = box.range[0].first; x < box.range[0].last; ++x) {
            for (auto y = box.range[1].first; y < box.range[1].last; ++y) {
              for (auto z = box.range[2].first; z < box.range[2].last; ++z) {
                ++travels[{x, y, z}];
                const auto from = local_element(plan, Side::from, sender, {x, y, z});
                const auto to = local_element(plan, Side::to, receiver, {x, y, z});
                ++filled[{receiver, to}];
                // The same element, seen from the side that has all indices.
                const Element& full = full_on == Side::from ? from : to;
                const int rank = full_on == Side::from ? sender : receiver;
                const int cut = full_on == Side::from ? shape.from.axis : shape.to.axis;
                Long3 all{std::get<0>(full), std::get<1>(full), std::get<2>(full)};
                all[static_cast<std::size_t>(cut)] += plan.own(full_on, rank).first;
                EXPECT_EQ(all[0], kept_indices(shape, 0)[static_cast<std::size_t>(x)]);
                EXPECT_EQ(all[1], kept_indices(shape, 1)[static_cast<std::size_t>(y)]);
                EXPECT_EQ(all[2], kept_indices(shape, 2)[static_cast<std::size_t>(z)]);
                const Long3 there{std::get<0>(to), std::get<1>(to), std::get<2>(to)};
                EXPECT_EQ(planes[there[static_cast<std::size_t>(chunk_axis)]], 1);
              }
            }
          }
        }
        for (const auto& gap : plan.gaps(receiver, chunk)) {
          for (auto x = gap.first[0]; x < gap.first[0] + gap.count[0]; ++x) {
            for (auto y = gap.first[1]; y < gap.first[1] + gap.count[1]; ++y) {
              for (auto z = gap.first[2]; z < gap.first[2] + gap.count[2]; ++z) {
                ++filled[{receiver, {x, y, z}}];
              }
            }
          }
        }
      }
    }
    std::size_t kept = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) kept *= kept_indices(shape, axis).size();
    EXPECT_EQ(travels.size(), kept);
    for (const auto& [element, times] : travels) EXPECT_EQ(times, 1);
    std::size_t there = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const Long3 extents = plan.extents(Side::to, rank);
      there += static_cast<std::size_t>(extents[0] * extents[1] * extents[2]);
    }
    EXPECT_EQ(filled.size(), there);
    for (const auto& [element, times] : filled) EXPECT_EQ(times, 1);
  }
}

TEST(TransposePlan, MovesEachElementOnceForAnyAxesRanksAndChunks) {
  for (const int from : {0, 1, 2}) {
    for (const int to : {0, 1, 2}) {
      if (from == to) continue;
      for (const int ranks : {1, 3, 6}) {
        TransposeShape shape;
        shape.extents = {4, 5, 7};
        shape.from.axis = from;
        shape.to.axis = to;
        for (const int chunk_axis : {0, 1, 2}) check(shape, ranks, 3, chunk_axis);
      }
    }
  }
}

TEST(TransposePlan, TruncatesAndExpandsSpectra) {
  TransposeShape shape;
  shape.extents = {5, 8, 6};
  shape.kept = {{{{0, 3}}, {{0, 3}, {6, 8}}, {}}};  // as the 2/3 rule does
  for (const int ranks : {1, 2, 4, 6}) {
    for (const int chunk_axis : {0, 1, 2}) {
      check(shape, ranks, 2, chunk_axis);
      check(reversed(shape), ranks, 4, chunk_axis);
    }
  }
  shape.kept[2] = {{1, 2}, {4, 4}, {4, 6}};
  check(shape, 3, 2, 2);
  check(reversed(shape), 3, 2, 2);
}

TEST(TransposePlan, AcceptsUnevenAndEmptyBlocks) {
  TransposeShape shape;
  shape.extents = {3, 7, 5};
  shape.from.blocks = {0, 4, 1};
  shape.to.blocks = {1, 0, 6};
  check(shape, 3, 2, 2);
  check(shape, 3, 2, 0);
  check(reversed(shape), 3, 5, 1);
}

TEST(TransposePlan, CountsBeyond32Bits) {
  TransposeShape shape;
  shape.extents = {3'000'000'000, 40'000, 50'000};
  const TransposeGeometry plan(shape, 3, 7, 0);
  std::int64_t elements = 0;
  for (int chunk = 0; chunk < 7; ++chunk) elements += plan.box(1, 2, chunk).elements();
  EXPECT_EQ(elements, 3'000'000'000 * 13'333 * 16'667);
  EXPECT_EQ(plan.box(1, 2, whole_transpose).elements(), elements);
  EXPECT_EQ(plan.planes(Side::to, 2, 6).back().last, 3'000'000'000);
  const Long3 strides = plan.packed_strides(Side::from, plan.extents(Side::from, 0));
  EXPECT_EQ(strides, (Long3{1, 3'000'000'000, 120'000'000'000'000}));

  const std::vector<std::int64_t> messages{2'147'483'647, 0, 2'147'483'648, 5};
  EXPECT_EQ(message_offsets(messages), (std::vector<std::int64_t>{0, 2'147'483'647, 2'147'483'647,
                                                                  4'294'967'295, 4'294'967'300}));
  constexpr std::int64_t largest = 2'147'483'647;
  for (const std::int64_t items : {std::int64_t{0}, largest, largest + 1, 5 * largest + 3}) {
    const Counted counted = counted_items(items, largest);
    EXPECT_EQ(counted.pieces * counted.piece + counted.rest, items);
    EXPECT_LE(std::max({counted.pieces, counted.piece, counted.rest}), largest);
  }
  EXPECT_EQ(counted_items(7, 3).pieces, 2);
  EXPECT_EQ(counted_items(7, 3).rest, 1);
  EXPECT_THROW(counted_items(20, 3), Error);
}

TEST(TransposePlan, ErrorsNameTheFault) {
  const auto reason = [](const TransposeShape& shape) {
    const auto error = shape_error(shape, 2);
    return std::string(error ? error->what() : "");
  };
  TransposeShape shape;
  shape.extents = {4, 4, 4};
  EXPECT_EQ(reason(shape), "");
  TransposeShape wrong = shape;
  wrong.to.axis = 2;
  EXPECT_NE(reason(wrong).find("not two different axes"), std::string::npos);
  wrong = shape;
  wrong.from.blocks = {3, 2};
  EXPECT_NE(reason(wrong).find("they have 5 indices, but 2 ranks share 4"), std::string::npos);
  wrong = shape;
  wrong.kept[0] = {{0, 2}, {1, 3}};
  EXPECT_NE(reason(wrong).find("kept indices 1 to 3: they overlap"), std::string::npos);
  wrong = shape;
  wrong.to.order = {0, 0, 2};
  EXPECT_NE(reason(wrong).find("each axis once"), std::string::npos);
  wrong = shape;
  wrong.extents[1] = -1;
  EXPECT_NE(reason(wrong).find("an extent is negative"), std::string::npos);
  wrong = shape;
  wrong.fields = 0;
  EXPECT_NE(reason(wrong).find("nothing to move"), std::string::npos);
  wrong = shape;
  wrong.from.strides = {1, -4, 16};
  EXPECT_NE(reason(wrong).find("a stride is negative"), std::string::npos);
}

}  // namespace
}  // namespace plait::solve
