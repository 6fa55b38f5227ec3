// SPDX-License-Identifier: BSD-3-Clause
// Tests of medians over several processes.
#include "analysis/shared_medians.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "../job_of_threads.hpp"
#include "../random.hpp"

namespace plait::analysis {
namespace {

using Lists = std::vector<std::vector<float>>;

float median_of(std::vector<float> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

TEST(SharedMedians, AreThoseOfAllValues) {
  plait::test::Random random(1);
  Lists lists(5);
  const std::vector<std::size_t> lengths{0, 1, 2, 1000, 3001};
  std::vector<float> expected;
  for (std::size_t list = 0; list < lists.size(); ++list) {
    while (lists[list].size() < lengths[list]) {
      const auto value = static_cast<float>(random.in(0, 1'000'000));
      lists[list].push_back(random.coin() ? value : value * 1e-9F);
    }
    expected.push_back(median_of(lists[list]));
  }
  EXPECT_EQ(shared_medians(lists, 1, nullptr), expected);
  plait::test::JobOfThreads(3).run([&](Processes& processes) {
    Lists own(lists.size());
    for (std::size_t list = 0; list < lists.size(); ++list) {
      for (std::size_t i = 0; i < lists[list].size(); ++i) {
        if (i % 7 % 3 == static_cast<std::size_t>(processes.rank())) {
          own[list].push_back(lists[list][i]);
        }
      }
    }
    EXPECT_EQ(shared_medians(own, 2, &processes), expected);
  });
}

}  // namespace
}  // namespace plait::analysis
