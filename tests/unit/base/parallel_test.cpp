// SPDX-License-Identifier: BSD-3-Clause
// Tests of independent pieces of work on several threads.
#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace plait {
namespace {

TEST(Parallel, EveryIndexIsVisitedOnce) {
  EXPECT_GE(usable_cpus(), 1u);
  for (const unsigned threads : {0U, 1U, 2U, 7U}) {
    std::vector<std::atomic<int>> visits(1000);
    for_each_index(
        visits.size(), [&](std::size_t index) { ++visits[index]; }, threads);
    for (const std::atomic<int>& count : visits) EXPECT_EQ(count, 1);
  }
  for_each_index(0, [](std::size_t) { FAIL(); });
}

TEST(Parallel, TheFirstFailureIsThrown) {
  for (const unsigned threads : {1U, 4U}) {
    std::atomic<int> visits{0};
    try {
      for_each_index(
          100,
          [&](std::size_t index) {
            ++visits;
            if (index % 10 == 3) throw std::runtime_error(std::to_string(index));
          },
          threads);
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "3");
    }
    EXPECT_EQ(visits, 100) << "the others are done";
  }
}

TEST(Parallel, ACrewWorksInRounds) {
  for (const unsigned threads : {1U, 2U, 7U}) {
    Crew crew(threads);
    std::vector<int> sums(100);
    for (int round = 0; round < 1000; ++round) {
      // Each round sees what the others did in the one before.
      std::vector<int> before = sums;
      crew.for_each_index(sums.size(), [&](std::size_t index) {
        sums[index] = before[(index + 1) % sums.size()] + 1;
      });
    }
    for (const int sum : sums) EXPECT_EQ(sum, 1000);
    EXPECT_THROW(crew.for_each_index(3, [](std::size_t) { throw std::runtime_error("one"); }),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace plait
