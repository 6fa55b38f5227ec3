// SPDX-License-Identifier: BSD-3-Clause
// Comparisons of runs: the sentence, other differences, and the exact text on the terminal.
#include <gtest/gtest.h>

#include "golden.hpp"
#include "report/compare_output.hpp"
#include "synthetic_profiles.hpp"
#include "text/terminal.hpp"

namespace plait::report {
namespace {

/// `profile` with calls that follow from its sites.
Profile with_calls(Profile profile) {
  for (const SiteRow& site : profile.sites) {
    profile.calls.push_back({site.call, site.count, site.bytes, site.time_s, 0.01});
  }
  return profile;
}

Profile slower(Profile profile, double factor) {
  profile.wall_s *= factor;
  for (RankRow& rank : profile.ranks) {
    rank.wall_s *= factor;
    rank.mpi_s *= factor;
    rank.compute_s *= factor;
  }
  return profile;
}

Side side(const std::string& name, std::vector<Profile> runs) {
  for (Profile& run : runs) run = with_calls(run);
  return {name, std::move(runs)};
}

/// The imbalanced run against one whose rank 3 has less to do.
Comparison fixed() {
  Profile better = imbalanced_profile();
  for (RankRow& rank : better.ranks) {
    rank.wall_s = 8;
    rank.compute_s = 7.2;
    rank.mpi_s = 0.8;
  }
  better.wall_s = 8.4;
  better.findings.clear();
  better.sites[0].time_s = 2.4;
  better.efficiencies.parallel.value = 0.9;
  better.efficiencies.load_balance.value = 1.0;
  better.efficiencies.communication.value = 0.9;
  return compare_runs(side("runs/a", {imbalanced_profile()}), side("runs/b", {better}));
}

Comparison unlike() {
  return compare_runs(side("runs/one_core", {one_core_profile()}),
                      side("runs/communication", {communication_profile()}));
}

Comparison several() {
  const Profile one = healthy_profile();
  return compare_runs(side("3 runs", {one, slower(one, 1.01), slower(one, 0.98)}),
                      side("2 runs", {slower(one, 1.3), slower(one, 1.25)}));
}

TEST(Comparison, says_how_many_times_faster_and_why) {
  EXPECT_EQ(fixed().sentence,
            "B is 1.48 times faster than A: MPI_Allreduce fell from 4.55 s to 600 ms.");
}

TEST(Comparison, turned_round_says_slower) {
  const Comparison forth = fixed();
  EXPECT_EQ(forth.findings_gone.size(), 1U);
  EXPECT_TRUE(forth.findings_new.empty());
  Profile better = healthy_profile();
  Profile worse = slower(healthy_profile(), 2);
  EXPECT_EQ(compare_runs(side("a", {better}), side("b", {worse})).sentence,
            "B is 2.00 times slower than A: computation rose from 11.6 s to 23.3 s.");
}

TEST(Comparison, of_equal_runs_finds_no_difference) {
  const Comparison same =
      compare_runs(side("a", {healthy_profile()}), side("b", {healthy_profile()}));
  EXPECT_EQ(same.sentence, "no difference: 12.4 s both (within 2 %)");
  EXPECT_TRUE(same.unfair.empty());
  EXPECT_EQ(same.notes.size(), 1U);
}

TEST(Comparison, of_several_runs_looks_at_their_spread) {
  EXPECT_EQ(several().sentence.find("B is 1.27 times slower than A"), 0U);
  EXPECT_TRUE(several().notes.empty());
  const Profile one = healthy_profile();
  const Comparison overlap =
      compare_runs(side("a", {one, slower(one, 1.2)}), side("b", {slower(one, 1.1), one}));
  EXPECT_EQ(overlap.sentence, "no difference: 13.6 s and 13.0 s (within the spread of the runs)");
}

TEST(Comparison, names_what_makes_it_unfair) {
  const auto unfair = unlike().unfair;
  const auto has = [&](const std::string& text) {
    return std::find(unfair.begin(), unfair.end(), text) != unfair.end();
  };
  EXPECT_TRUE(has("ranks: 2 in A, 8 in B"));
  EXPECT_TRUE(has("threads per rank: 2 in A, 1 in B"));
  EXPECT_TRUE(has("MPI: Open MPI 4.1.4 in A, MPICH 4.0.2 in B"));
  EXPECT_TRUE(has("OpenMP: libgomp in A, none in B"));
  const Comparison killed =
      compare_runs(side("a", {killed_profile()}), side("b", {healthy_profile()}));
  EXPECT_EQ(killed.unfair.front(), "A failed (exit code 137)");
}

TEST(Comparison, names_programs_and_arguments_that_differ) {
  Side a = side("runs/a", {healthy_profile()});
  Side b = side("runs/b", {healthy_profile()});
  a.program = {"/opt/app", "--size", "10"};
  b.program = {"/opt/app", "--size", "20 30"};
  EXPECT_EQ(compare_runs(a, b).unfair,
            (std::vector<std::string>{"arguments: --size 10 in A, --size '20 30' in B"}));
  b.program = {"/opt/other", "--size", "10"};
  EXPECT_EQ(compare_runs(a, b).unfair,
            (std::vector<std::string>{"program: /opt/app in A, /opt/other in B"}));
}

TEST(Comparison, waiting_for_a_cpu_is_a_part_of_its_own) {
  Profile a = healthy_profile();
  Profile b = healthy_profile();
  for (Profile* profile : {&a, &b}) profile->efficiencies.cpu = {0.9, "measured"};
  b.wall_s += 4;
  for (RankRow& rank : b.ranks) {
    rank.wall_s += 4;
    rank.compute_s += 4;
    rank.compute_wait_s += 4;
  }
  const Comparison of = compare_runs(side("runs/a", {a}), side("runs/b", {b}));
  EXPECT_NE(of.sentence.find("waiting for a CPU rose"), std::string::npos) << of.sentence;
  const auto computation = std::ranges::find(of.figures, "computation", &FigureChange::name);
  EXPECT_NEAR(computation->a->median, computation->b->median, 1e-9);
}

TEST(Comparison, reads_exactly_as_committed) {
  const TerminalOptions plain{false, true, ""};
  expect_golden(joined(comparison_lines(fixed(), plain)), "compare_fixed.txt");
  expect_golden(joined(comparison_lines(unlike(), plain)), "compare_unlike.txt");
  expect_golden(joined(comparison_lines(several(), plain)), "compare_several.txt");
}

TEST(Comparison, fits_24_lines_of_80_columns) {
  const Comparison hostile =
      compare_runs(side("a", {hostile_profile()}), side("b", {hostile_profile()}));
  for (const Comparison& of : {fixed(), unlike(), several(), hostile}) {
    const auto lines = comparison_lines(of, {false, true, ""});
    EXPECT_LE(lines.size(), kTerminalLines);
    for (const std::string& line : lines) EXPECT_LE(display_width(line), kTerminalColumns) << line;
  }
}

TEST(Comparison, as_json_has_schema_and_figures) {
  const auto value = comparison_to_json(fixed());
  EXPECT_EQ(value.at("schema"), "plait-compare");
  EXPECT_EQ(value.at("figures").at(0).at("name"), "wall time of the command");
  EXPECT_NEAR(value.at("figures").at(0).at("b").at("median").get<double>(), 8.4, 1e-12);
  EXPECT_EQ(value.at("calls").at(0).at("name"), "MPI_Allreduce");
}

TEST(Spreads, are_medians_and_ranges) {
  EXPECT_EQ(spread_of({3, 1, 2}), (Spread{2, 1, 3}));
  EXPECT_EQ(spread_of({4, 1}), (Spread{2.5, 1, 4}));
  EXPECT_FALSE(spread_of({}).has_value());
}

}  // namespace
}  // namespace plait::report
