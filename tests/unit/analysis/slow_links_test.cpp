// SPDX-License-Identifier: BSD-3-Clause
// A slow link between two ranks is named among 8, 512 and 10 000 ranks, between nodes of 8 to 1000.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "analysis/patterns.hpp"
#include "generated_trace.hpp"
#include "programs.hpp"

namespace plait::analysis {
namespace {

constexpr std::uint64_t kSteps = 10;
#ifdef PLAIT_SANITIZED
constexpr int kMany = 1000;  // sanitized code is slow
#else
constexpr int kMany = 10'000;
#endif

/// What the finding of slow links says about a generated trace; empty: there is none.
std::string slow_link_of(const generated::RunShape& shape) {
  const std::filesystem::path run =
      std::filesystem::temp_directory_path() / fmt::format("plait-slow-links-{}", getpid());
  std::filesystem::remove_all(run);
  const std::uint64_t of_step = 2 * generated::neighbours_of(shape, 0).size() + 2;
  generated::write_events(shape, kSteps * of_step * static_cast<std::uint64_t>(shape.ranks), run);
  const test::Prepared of(trace::read_trace(run));
  std::filesystem::remove_all(run);
  for (const PatternFinding& finding :
       find_patterns(of.trace, of.lanes, of.waits, {}, nullptr, {})) {
    if (finding.id == "slow_link") return finding.what;
  }
  return "";
}

void expect_slow_ranks(generated::RunShape shape, int rank) {
  const int partner = generated::neighbours_of(shape, rank).front();
  shape.slow_link[0] = rank;
  shape.slow_link[1] = partner;
  EXPECT_EQ(slow_link_of(shape), fmt::format("Messages between ranks {} and {} are slow.",
                                             std::min(rank, partner), std::max(rank, partner)));
}

void expect_slow_nodes(generated::RunShape shape, int rank) {
  const auto node_of = [&](int of) { return of / shape.ranks_per_node; };
  const std::vector<int> partners = generated::neighbours_of(shape, rank);
  const auto partner = std::find_if(partners.begin(), partners.end(),
                                    [&](int one) { return node_of(one) != node_of(rank); });
  ASSERT_NE(partner, partners.end());
  shape.slow_nodes[0] = std::min(node_of(rank), node_of(*partner));
  shape.slow_nodes[1] = std::max(node_of(rank), node_of(*partner));
  EXPECT_EQ(slow_link_of(shape),
            fmt::format("Messages between nodes node{:04} and node{:04} are slow.",
                        shape.slow_nodes[0], shape.slow_nodes[1]));
}

TEST(SlowLinks, TwoRanksAreNamed) {
  expect_slow_ranks({.ranks = 8}, 5);
  expect_slow_ranks({.ranks = 8, .ranks_per_node = 2}, 3);
  expect_slow_ranks({.ranks = 512}, 333);
  expect_slow_ranks({.ranks = kMany, .pattern = generated::Pattern::ring}, kMany / 9 * 7);
}

TEST(SlowLinks, TwoNodesAreNamed) {
  expect_slow_nodes({.ranks = 8, .ranks_per_node = 2}, 2);
  expect_slow_nodes({.ranks = 512, .ranks_per_node = 16}, 200);
  constexpr int kFewer = std::min(kMany, 1000);  // writing a trace of many ranks takes seconds
  expect_slow_nodes({.ranks = kFewer}, kFewer / 2);
}

TEST(SlowLinks, ASlowRankOrNodeIsNone) {
  EXPECT_EQ(slow_link_of({.ranks = 8}), "");
  EXPECT_EQ(slow_link_of({.ranks = 512}), "");
  EXPECT_EQ(slow_link_of({.ranks = 512, .slow_rank = 100}), "");
  EXPECT_EQ(slow_link_of({.ranks = 512, .slow_node = 3}), "");
}

}  // namespace
}  // namespace plait::analysis
