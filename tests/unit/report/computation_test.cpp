// SPDX-License-Identifier: BSD-3-Clause
// The figures of samples in the profile, on the terminal and in sentences.
#include "report/computation.hpp"

#include <gtest/gtest.h>

#include "../samples/made_tree.hpp"
#include "base/json_file.hpp"
#include "report/computation_json.hpp"
#include "schema_check.hpp"

namespace plait::report {
namespace {

Profile sampled_profile() {
  Profile profile;
  profile.ranks.resize(2);
  profile.computation = computation_of(samples::test::made_tree(), 2);
  return profile;
}

TEST(Computation, figures) {
  const Computation of = *sampled_profile().computation;
  EXPECT_EQ(of.samples, 1600u);
  EXPECT_DOUBLE_EQ(of.code_share, 0.75);
  EXPECT_DOUBLE_EQ(of.mpi_share, 0.25);
  EXPECT_EQ(of.lost, 2u);
  ASSERT_EQ(of.hot_spots.size(), 3);
  EXPECT_EQ(of.hot_spots[0].place.function, "exp");
  EXPECT_DOUBLE_EQ(of.hot_spots[1].ranks_share[0], 0.5);
  ASSERT_TRUE(of.difference);
  EXPECT_EQ(of.difference->place,
            (FunctionPlace{"assemble", "/home/user/mesh.cpp", 62, "/home/user/app"}));
  EXPECT_DOUBLE_EQ(of.difference->ratio, 1.5);
  EXPECT_FALSE(computation_of({}, 2));
}

TEST(Computation, json) {
  const Computation of = *sampled_profile().computation;
  EXPECT_EQ(nlohmann::json(of).get<Computation>(), of);
  Computation without = of;
  without.difference.reset();
  EXPECT_EQ(nlohmann::json(without).get<Computation>(), without);
}

TEST(Computation, schema_of_samples) {
  const auto schema = parse_json(read_text_file(PLAIT_SCHEMAS "/samples-1.schema.json"));
  EXPECT_EQ(schema_violations(schema, samples::to_json(samples::test::made_tree())),
            std::vector<std::string>{});
}

TEST(Computation, sentence_names_the_function) {
  const Profile profile = sampled_profile();
  EXPECT_EQ(difference_sentence(profile, 1),
            "rank 1 spends 1.50 times the mean in assemble "
            "(mesh.cpp:62)");
  EXPECT_EQ(difference_sentence(profile, 0), "");
  EXPECT_EQ(difference_sentence({}, 1), "");
}

TEST(Computation, terminal) {
  const std::vector<std::string> expected{
      "samples: 1600 at 100 Hz per thread of CPU time; 75 % in code, 25 % in MPI",
      "  hottest in code        share  95 %       time  most (x mean)",
      "  exp (libm.so.6)         50 %  47-53 %  6.00 s  rank 1: 1.50",
      "  solve (solve.cpp:12)    33 %  31-36 %  4.00 s",
      "  element (mesh.cpp:21)   17 %  15-19 %  2.00 s  rank 1: 1.50",
      "  rank 1 spends 1.50 times the mean in assemble (mesh.cpp:62) (6.00 s against",
      "  4.00 s): 100 % of its excess in code",
      "  excess by function: exp 75 %, element 25 %",
      "  sampling took 0 % of the CPU time, 2 samples lost, 1 without all callers"};
  EXPECT_EQ(computation_lines(sampled_profile(), {}), expected);
  EXPECT_TRUE(computation_lines({}, {}).empty());
}

TEST(Computation, long_names_keep_their_file_and_line) {
  Profile profile = sampled_profile();
  HotSpotRow& spot = profile.computation->hot_spots[0];
  spot.place = {"miniFE::impl::perform_element_loop", "/x/perform_element_loop.hpp", 60, ""};
  spot.worst_rank = 1023;
  const std::vector<std::string> lines = computation_lines(profile, {});
  EXPECT_EQ(lines[2],
            "  pe...op (perform_element_loop.hpp:60)   50 %  47-53 %  6.00 s  rank 1023: 1.50");
  spot.worst_thread = 3;
  const std::vector<std::string> with_thread = computation_lines(profile, {});
  EXPECT_TRUE(with_thread[2].ends_with("rank 1023: 1.50, thread 3")) << with_thread[2];
  EXPECT_NE(with_thread[2].find("oop.hpp:60)"), std::string::npos) << with_thread[2];
  for (const std::string& line : lines) EXPECT_LE(line.size(), 80U) << line;
  for (const std::string& line : with_thread) EXPECT_LE(line.size(), 80U) << line;
}

TEST(Computation, older_profiles_have_no_serial_part) {
  Profile profile = sampled_profile();
  profile.computation->serial = SerialRow{{"solve", "a.c", 4, "a"}, 0.7, 0.6, 0.8, 5, {}};
  nlohmann::json value = profile_to_json(profile);
  EXPECT_EQ(profile_from_json(value, "profile").computation, profile.computation);
  value["computation"].erase("serial");
  EXPECT_FALSE(profile_from_json(value, "profile").computation->serial);
}

}  // namespace
}  // namespace plait::report
