// SPDX-License-Identifier: BSD-3-Clause
// Tests of loops in sequences of symbols.
#include "analysis/loops.hpp"

#include <gtest/gtest.h>

#include <string>

namespace plait::analysis {
namespace {

Folded fold(const std::string& text) {
  std::vector<std::uint32_t> symbols;
  for (const char one : text) symbols.push_back(static_cast<std::uint32_t>(one - 'a'));
  return fold_loops(symbols, 26);
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Loops, ASequenceWithoutRepetitionsIsUnchanged) {
  const Folded folded = fold("abcdef");
  EXPECT_EQ(folded.parts.size(), 6U);
  EXPECT_TRUE(folded.loops.empty());
}

TEST(Loops, ARepeatedPatternIsOneLoopBetweenTheRest) {
  const Folded folded = fold("xy" + repeated("abc", 10) + "z");
  ASSERT_EQ(folded.parts.size(), 4U);
  const LoopPart& part = folded.parts[2];
  const Loop& loop = folded.loops[part.loop];
  ASSERT_EQ(loop.repetitions.size(), 10U);
  EXPECT_EQ(part.begin, 2U);
  EXPECT_EQ(part.end, 32U);
  EXPECT_EQ(loop.repetitions[3].begin, 11U);
  EXPECT_EQ(loop.repetitions[3].end, 14U);
}

TEST(Loops, InnerLoopsOfDifferentLengthMakeEqualOuterRepetitions) {
  std::string text;
  for (const int inner : {7, 3, 12, 5, 9}) text += "a" + repeated("bc", inner) + "d";
  const Folded folded = fold(text);
  ASSERT_EQ(folded.parts.size(), 1U);
  const Loop& outer = folded.loops[folded.parts[0].loop];
  EXPECT_EQ(outer.repetitions.size(), 5U);
  ASSERT_EQ(outer.body.size(), 3U);
  EXPECT_EQ(folded.loops[outer.body[1].loop].repetitions.size(), 36U);
}

TEST(Loops, AnInnerLoopAtTheEndOfTheBodyContinues) {
  const Folded folded = fold(repeated("a" + repeated("bc", 6), 8));
  ASSERT_EQ(folded.parts.size(), 1U);
  const Loop& outer = folded.loops[folded.parts[0].loop];
  EXPECT_EQ(outer.repetitions.size(), 8U);
  EXPECT_EQ(outer.repetitions.back().end, 8U * 13U);
  ASSERT_EQ(outer.body.size(), 2U);
  EXPECT_EQ(folded.loops[outer.body[1].loop].repetitions.size(), 48U);
}

TEST(Loops, AnInterruptedLoopKeepsItsSymbol) {
  const Folded folded = fold(repeated("abc", 9) + "abx" + repeated("cab", 9));
  std::vector<std::uint32_t> loops;
  for (const LoopPart& part : folded.parts) {
    if (part.loop != ~0U) loops.push_back(part.symbol);
  }
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(loops[0], loops[1]);
}

}  // namespace
}  // namespace plait::analysis
