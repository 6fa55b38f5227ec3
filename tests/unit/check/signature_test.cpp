// SPDX-License-Identifier: BSD-3-Clause
// Signatures: which are equal whatever the layout, and which fit into which.
#include <gtest/gtest.h>

#include "check/made_job.hpp"
#include "check/types.hpp"
#include "trace/check_signature.hpp"

namespace plait::check {
namespace {

const Signature kA = basic_signature(1, 4);
const Signature kB = basic_signature(2, 8);

TEST(Signature, TwoPairsAreAStructureOfFour) {
  const Signature pair = join(kA, kB);
  EXPECT_TRUE(repeat(pair, 2) == join(join(kA, kB), join(kA, kB)));
  EXPECT_TRUE(repeat(pair, 2) == join(kA, join(join(kB, kA), kB)));
}

TEST(Signature, OrderMatters) {
  EXPECT_FALSE(join(kA, kB) == join(kB, kA));
  EXPECT_FALSE(repeat(join(kA, kB), 2) == join(repeat(kA, 2), repeat(kB, 2)));
}

TEST(Signature, RepeatingIsJoiningAgainAndAgain) {
  Signature joined;
  for (std::uint64_t n = 0; n < 100; ++n) {
    EXPECT_TRUE(repeat(kA, n) == joined) << n;
    joined = join(joined, kA);
  }
  EXPECT_TRUE(repeat(repeat(kA, 1000), 1000) == repeat(kA, 1000000));
}

TEST(Signature, LengthAndBytesAreKept) {
  const Signature sum = repeat(join(kA, kB), 1ULL << 40);
  EXPECT_EQ(sum.elements, 1ULL << 41);
  EXPECT_EQ(sum.bytes, 12ULL << 40);
}

class Fitting : public ::testing::Test {
protected:
  [[nodiscard]] Data data(MadeType type, std::uint64_t count) const {
    return {&types_[type], count};
  }
  std::vector<Type> types_ = made_types();
};

TEST_F(Fitting, RoomMayBeLarger) {
  EXPECT_TRUE(fits_types(data(kInt, 3), data(kInt, 8)));
  EXPECT_TRUE(fits_types(data(kPair, 1), data(kPair, 8)));
}

TEST_F(Fitting, PartOfAStructureMayBeSent) {
  EXPECT_TRUE(fits_types(data(kInt, 1), data(kPair, 4)));
  EXPECT_FALSE(fits_types(data(kInt, 2), data(kPair, 4)));
  EXPECT_FALSE(fits_types(data(kDouble, 1), data(kPair, 4)));
}

TEST_F(Fitting, OtherTypesDoNotFit) {
  EXPECT_FALSE(fits_types(data(kInt, 2), data(kDouble, 1)));
  EXPECT_FALSE(fits_types(data(kDouble, 1), data(kInt, 2)));
}

TEST_F(Fitting, BytesFitEverything) {
  EXPECT_TRUE(fits_types(data(kByte, 8), data(kDouble, 1)));
  EXPECT_TRUE(fits_types(data(kPair, 1), data(kByte, 12)));
  EXPECT_TRUE(same_types(data(kByte, 12), data(kPair, 1)));
  EXPECT_FALSE(same_types(data(kByte, 11), data(kPair, 1)));
}

TEST_F(Fitting, OfTypesWithoutKnownPartsOnlyWholeOnesAreCompared) {
  types_[kPair].parts.clear();
  EXPECT_TRUE(fits_types(data(kInt, 3), data(kPair, 4)));
  EXPECT_FALSE(fits_types(data(kDouble, 4), data(kPair, 2)));
}

/// Types nested to a depth: each is {MPI_INT, the one before, MPI_DOUBLE}.
std::vector<Type> nested(std::size_t depth) {
  std::vector<Type> types = made_types();
  types.reserve(types.size() + depth);
  const Type* inner = &types[kInt];
  for (std::size_t i = 0; i < depth; ++i) {
    types.push_back({join(join(types[kInt].signature, inner->signature), types[kDouble].signature),
                     false,
                     "",
                     {{&types[kInt], 1}, {inner, 1}, {&types[kDouble], 1}}});
    inner = &types.back();
  }
  return types;
}

TEST(Nested, PartsOfDeepTypesAreComparedToTheElement) {
  constexpr std::uint64_t kDepth = 100'000;
  const std::vector<Type> types = nested(kDepth);
  const Data room{&types.back(), 1};
  EXPECT_TRUE(fits_types({&types[kInt], kDepth + 1}, room));
  EXPECT_FALSE(fits_types({&types[kInt], kDepth + 2}, room));
  EXPECT_TRUE(describe(room).ends_with(" bytes")) << describe(room);
}

TEST(Nested, RepeatedPartsAreComparedToTheElement) {
  std::vector<Type> types = made_types();
  Type column;
  column.parts = {{&types[kInt], 1}, {&types[kPair], 1'000'000}};
  column.signature = join(types[kInt].signature, repeat(types[kPair].signature, 1'000'000));
  EXPECT_TRUE(fits_types({&types[kInt], 2}, {&column, 3}));
  EXPECT_FALSE(fits_types({&types[kInt], 3}, {&column, 3}));
}

TEST_F(Fitting, TypesAreNamed) {
  EXPECT_EQ(describe(data(kInt, 4)), "4 MPI_INT");
  EXPECT_EQ(describe(data(kPair, 1)), "{MPI_INT, MPI_DOUBLE}");
  EXPECT_EQ(describe(data(kPair, 2)), "2 x {MPI_INT, MPI_DOUBLE}");
}

}  // namespace
}  // namespace plait::check
