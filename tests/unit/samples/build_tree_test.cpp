// SPDX-License-Identifier: BSD-3-Clause
// The call tree of files of samples.
#include "samples/build_tree.hpp"

#include <gtest/gtest.h>

#include "made_samples.hpp"

namespace plait::samples {
namespace {

trace::RankRecord rank(int number) {
  trace::RankRecord record;
  record.file = std::filesystem::path(::testing::TempDir()) / ("tree-" + std::to_string(number));
  record.file += ".rec";
  record.world_rank = number;
  trace::UserRegion outer, inner;
  outer.name = "step";
  inner.name = "assemble";
  inner.parent = 0;
  record.regions = {outer, inner};
  return record;
}

TEST(BuildTree, ranks_share_functions_and_nodes) {
  trace::RankRecord first = rank(0), second = rank(1);
  for (const auto& [record, samples] : {std::pair(&first, 10u), std::pair(&second, 30u)}) {
    test::MadeSamples made;
    const auto main_thread = made.thread(7), other = made.thread(9);
    const auto outer = made.python(0, "5 main");
    const auto inner = made.python(outer, "12 solve");
    made.python(outer, "13 not_sampled");
    made.count(inner, main_thread, samples, PLAIT_SAMPLE_CODE, 2);
    made.count(outer, other, 1, PLAIT_SAMPLE_MPI);
    made.write(std::filesystem::path(record->file).replace_extension(".smp"));
  }
  EXPECT_TRUE(has_samples({&first, &second}));
  const CallTree tree = build_call_tree({&first, &second});
  EXPECT_EQ(tree.rate_hz, 100);
  EXPECT_EQ(tree.notes, std::vector<std::string>{});
  ASSERT_EQ(tree.nodes.size(), 2);
  EXPECT_EQ(tree.nodes[0], (CallNode{-1, 0, 5, false}));
  EXPECT_EQ(tree.nodes[1], (CallNode{0, 1, 12, false}));
  EXPECT_EQ(tree.functions[1].name, "solve");
  EXPECT_EQ(tree.functions[1].kind, "python");
  ASSERT_EQ(tree.threads.size(), 4);
  EXPECT_EQ(tree.threads[0].kind, "main");
  EXPECT_EQ(tree.threads[1].kind, "other");
  EXPECT_EQ(tree.threads[3].rank, 1);
  const std::vector<NodeCount> counts{{0, 1, State::mpi, 1},
                                      {0, 3, State::mpi, 1},
                                      {1, 0, State::code, 10},
                                      {1, 2, State::code, 30}};
  EXPECT_EQ(tree.counts, counts);
  EXPECT_EQ(tree.region_names[1], "step/assemble");
  const std::vector<RegionCount> regions{{1, 0, 1, 10}, {1, 2, 1, 30}};
  EXPECT_EQ(tree.region_counts, regions);
  EXPECT_DOUBLE_EQ(tree.sample_us, 5);
}

TEST(BuildTree, samples_keep_their_times) {
  trace::RankRecord record = rank(3);
  test::MadeSamples made;
  const auto thread = made.thread(7);
  const auto unused = made.python(0, "5 not_sampled");
  const auto node = made.python(0, "12 solve");
  const auto count = made.count(node, thread, 3, PLAIT_SAMPLE_MPI);
  made.count(unused, thread, 0);
  made.time(900, count, 2);
  made.time(800, count);
  made.untimed(4);
  made.write(std::filesystem::path(record.file).replace_extension(".smp"));
  const CallTree tree = build_call_tree({&record});
  const std::vector<SampleTime> times{{900, 0, 0, 7, State::mpi, 2}, {800, 0, 0, 7, State::mpi, 1}};
  EXPECT_EQ(tree.times, times);
  ASSERT_EQ(tree.notes.size(), 1);
  EXPECT_NE(tree.notes[0].find("4 samples have no time"), std::string::npos) << tree.notes[0];
}

TEST(BuildTree, a_damaged_file_is_named) {
  trace::RankRecord record = rank(2);
  test::MadeSamples made;
  made.header().version = 9;
  made.write(std::filesystem::path(record.file).replace_extension(".smp"));
  const CallTree tree = build_call_tree({&record});
  ASSERT_EQ(tree.notes.size(), 1);
  EXPECT_NE(tree.notes[0].find("tree-2.smp"), std::string::npos);
  EXPECT_TRUE(tree.counts.empty());
}

}  // namespace
}  // namespace plait::samples
