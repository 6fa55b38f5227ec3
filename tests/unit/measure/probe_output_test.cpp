// SPDX-License-Identifier: BSD-3-Clause
// The output of ranks is read; damaged lines are reported and not used.
#include "measure/probe_output.hpp"

#include <gtest/gtest.h>

namespace plait::measure {
namespace {

constexpr const char* kGood =
    "library Open MPI v4.1.4, package: Debian\n"
    "init 0.25\n"
    "sentinel 0 1.25\n"
    "cell 0 0 0 0 : 0.25 0.26 0.24\n"
    "cell 0 4194304 0 1 : 900.5\n"
    "delay 0.5 2\n"
    "end\n";

TEST(ProbeOutput, reads_what_a_rank_writes) {
  ProbeOutput output;
  add_probe_output(kGood, output);
  EXPECT_EQ(output.library, "Open MPI v4.1.4, package: Debian");
  ASSERT_EQ(output.cells.size(), 2U);
  EXPECT_EQ(output.cells[0].samples, (std::vector<double>{0.25, 0.26, 0.24}));
  EXPECT_EQ(output.cells[1].bytes, 4194304U);
  EXPECT_EQ(output.cells[1].disturbed, 1);
  ASSERT_EQ(output.sentinels.size(), 1U);
  EXPECT_DOUBLE_EQ(output.sentinels[0].ns, 1.25);
  EXPECT_DOUBLE_EQ(output.init_s, 0.25);
  EXPECT_DOUBLE_EQ(output.delay_s, 0.5);
  EXPECT_DOUBLE_EQ(output.thread_s, 2);
  EXPECT_EQ(output.complete_ranks, 1);
  EXPECT_TRUE(output.problems.empty());
}

TEST(ProbeOutput, adds_up_the_ranks) {
  ProbeOutput output;
  add_probe_output(kGood, output);
  add_probe_output("library Open MPI v4.1.4, package: Debian\nend\n", output);
  EXPECT_EQ(output.complete_ranks, 2);
  EXPECT_EQ(output.cells.size(), 2U);
}

TEST(ProbeOutput, variables_have_values_with_blanks_or_none) {
  ProbeOutput output;
  add_probe_output("variable btl_vader_eager_limit 16384\nvariable a two parts\nvariable b \n",
                   output);
  EXPECT_TRUE(output.problems.empty());
  EXPECT_EQ(output.variables,
            (std::map<std::string, std::string>{
                {"btl_vader_eager_limit", "16384"}, {"a", "two parts"}, {"b", ""}}));
}

TEST(ProbeOutput, tabs_in_a_version_become_blanks) {
  ProbeOutput output;
  add_probe_output("library MPICH Version:\t4.0.2\n", output);
  EXPECT_EQ(output.library, "MPICH Version: 4.0.2");
}

TEST(ProbeOutput, a_truncated_file_gives_no_wrong_figure) {
  const std::string good = kGood;
  ProbeOutput whole;
  add_probe_output(good, whole);
  for (std::size_t length = 0; length < good.size(); ++length) {
    ProbeOutput output;
    add_probe_output(good.substr(0, length), output);
    EXPECT_EQ(output.complete_ranks, 0) << length;
    for (std::size_t i = 0; i < output.cells.size(); ++i) {
      EXPECT_EQ(output.cells[i].samples, whole.cells[i].samples) << length;
    }
  }
}

TEST(ProbeOutput, damaged_lines_are_reported_and_left_out) {
  for (const char* line : {"cell 0 8 0 0 : 0.2 nan",
                           "cell 0 8 0 0 : 0.2 -1",
                           "cell 0 8 0 0 : 0.2 inf",
                           "cell 0 8 0 0 :",
                           "cell 0 8 0 0 0.2",
                           "cell 0 8 0 -1 : 0.2",
                           "cell 0 99999999999 0 0 : 1",
                           "cell x 8 0 0 : 1",
                           "cell 0 8 0 0 : 0.2 x",
                           "sentinel 0",
                           "sentinel 0 -3",
                           "skipped",
                           "skipped -1",
                           "delay 1",
                           "delay a b",
                           "library",
                           "error",
                           "nonsense 1 2",
                           "",
                           "\x01\xff"}) {
    ProbeOutput output;
    add_probe_output(std::string(line) + "\nsentinel 1 2.5\n", output);
    EXPECT_EQ(output.problems.size(), 1U) << line;
    EXPECT_TRUE(output.cells.empty()) << line;
    EXPECT_EQ(output.sentinels.size(), 1U) << "the next line is read: " << line;
  }
}

TEST(ProbeOutput, figures_that_were_left_out_are_counted_and_reported) {
  ProbeOutput output;
  EXPECT_EQ(skipped_warning(output), "");
  add_probe_output("skipped 5\nskipped 1\n", output);
  EXPECT_EQ(output.skipped, 6U);
  EXPECT_NE(skipped_warning(output).find("6 figures were left out"), std::string::npos);
}

TEST(ProbeOutput, errors_of_ranks_are_kept) {
  ProbeOutput output;
  add_probe_output("error a message of 1000 bytes arrived damaged\n", output);
  ASSERT_EQ(output.errors.size(), 1U);
  EXPECT_EQ(output.errors[0], "a message of 1000 bytes arrived damaged");
}

TEST(ProbeOutput, ranks_without_a_file_wrote_nothing) {
  const ProbeOutput output = read_probe_output("/nonexistent/rank", 4);
  EXPECT_EQ(output.complete_ranks, 0);
  EXPECT_TRUE(output.cells.empty());
}

}  // namespace
}  // namespace plait::measure
