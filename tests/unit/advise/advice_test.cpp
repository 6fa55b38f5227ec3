// SPDX-License-Identifier: BSD-3-Clause
// Advice on runs whose time is lost in the program.
#include "advise/advice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "../report/synthetic_profiles.hpp"
#include "base/json_file.hpp"
#include "report/findings.hpp"

namespace plait::advise {
namespace {

/// Writes a run directory with a profile and its findings, without records, and reads its advice.
Advice advice_of(report::Profile profile, const std::string& name) {
  const std::filesystem::path run = std::filesystem::path(testing::TempDir()) / name;
  std::filesystem::create_directories(run);
  write_json_file(run / "run.json", {{"schema", "plait-run"},
                                     {"schema_version", 1},
                                     {"command", {"./app"}},
                                     {"state", "finished"},
                                     {"wall_s", profile.wall_s},
                                     {"exit_code", 0},
                                     {"signal", nullptr},
                                     {"launcher", {{"kind", ""}, {"version", ""}, {"path", ""}}}});
  profile.context.machine_file.clear();
  profile.findings = report::findings_of(profile);
  write_json_file(run / "profile.json", report::profile_to_json(profile));
  return advise(run);
}

report::FunctionPlace place(const char* function, const char* file, int line) {
  return {function, file, line, "/x/app"};
}

TEST(AdviceOnAProgram, says_where_ranks_differ) {
  report::Profile profile = report::imbalanced_profile();
  profile.computation.emplace().difference =
      report::DifferenceRow{place("assemble", "/x/mesh.cpp", 62), 3, 8, 3.8, 2.1, 0.9};
  const Advice advice = advice_of(profile, "advice-imbalance");
  EXPECT_TRUE(advice.plans.empty());
  EXPECT_TRUE(
      advice.loss.starts_with("The loss is in the program: rank 3 spends 2.10 times the "
                              "mean in assemble (mesh.cpp:62) (36 % of the run); give rank "
                              "3 less work"))
      << advice.loss;
}

TEST(AdviceOnAProgram, says_where_openmp_does_not_help) {
  report::Profile profile = report::healthy_profile();
  profile.openmp.measured = "gomp";
  profile.openmp.regions = {{"solve", "/x/solve.cpp", 44, 10, 4, 6, 20, 1, 0}};
  double wall_s = 0;
  for (report::RankRow& rank : profile.ranks) {
    rank.threads = 4;
    wall_s += rank.wall_s;
  }
  profile.computation.emplace().serial =
      report::SerialRow{place("solve", "/x/solve.cpp", 40), 0.71, 0.68, 0.74, 0.6 * wall_s,
                        place("setup", "/x/mesh.cpp", 12)};
  Advice advice = advice_of(profile, "advice-serial");
  const std::string sentence = "OpenMP does not help in solve (solve.cpp:40): serial part 71 %";
  EXPECT_TRUE(advice.loss.starts_with("The loss is in the program: " + sentence)) << advice.loss;
  EXPECT_EQ(std::ranges::count(advice.nothing, "threads: " + sentence +
                                                   " (68 to 74 %), most of it in setup "
                                                   "(mesh.cpp:12)"),
            1);
  profile.computation->serial->low = 0.1;  // too few samples
  advice = advice_of(profile, "advice-serial");
  EXPECT_EQ(advice.loss.find("OpenMP does not help"), std::string::npos) << advice.loss;
}

}  // namespace
}  // namespace plait::advise
