// SPDX-License-Identifier: BSD-3-Clause
// What a serial part costs, and when its share is worth naming.
#include "report/serial_part.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/findings.hpp"
#include "synthetic_profiles.hpp"

namespace plait::report {
namespace {

/// 2 ranks x 4 threads, 10 s each, of which one thread computes 7 s alone.
Profile partly_serial_profile() {
  Profile profile = no_mpi_calls_profile();
  for (RankRow& rank : profile.ranks) {
    rank.wall_s = 10;
    rank.threads = 4;
  }
  profile.openmp.measured = "gomp";
  profile.openmp.regions = {{"solve", "/x/solve.cpp", 44, 10, 4, 6, 20, 1, 0}};
  profile.computation = Computation{};
  profile.computation->serial =
      SerialRow{{"cg::solve", "/x/solve.cpp", 40, "/x/app"}, 0.71, 0.68, 0.74, 14,
                {"setup", "/x/mesh.cpp", 12, "/x/app"}};
  return profile;
}

TEST(SerialLoss, names_the_function_and_the_interval) {
  const auto loss = serial_loss(partly_serial_profile());
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->sentence, "OpenMP does not help in cg::solve (solve.cpp:40): serial part 71 %");
  EXPECT_EQ(loss->text(), loss->sentence + " (68 to 74 %), most of it in setup (mesh.cpp:12)");
  EXPECT_DOUBLE_EQ(loss->share, 0.7 * 0.75);
}

TEST(SerialLoss, is_a_finding) {
  Profile profile = partly_serial_profile();
  const auto findings = findings_of(profile);
  const auto found = std::ranges::find(findings, "openmp_serial", &Finding::id);
  ASSERT_NE(found, findings.end());
  EXPECT_EQ(found->what, "OpenMP does not help in cg::solve (solve.cpp:40): serial part 71 %");
  EXPECT_EQ(found->severity, "high");
  EXPECT_NE(found->fix.find("divide the work of setup (mesh.cpp:12)"), std::string::npos);
  EXPECT_TRUE(is_in_the_program(*found));
  profile.computation->serial->inside = profile.computation->serial->place;
  EXPECT_EQ(serial_loss(profile)->inside, "");
}

TEST(SerialLoss, below_half_of_the_time_says_less) {
  Profile profile = partly_serial_profile();
  SerialRow& serial = *profile.computation->serial;
  serial.low = 0.49;
  EXPECT_EQ(serial_loss(profile)->sentence,
            "OpenMP helps little in cg::solve (solve.cpp:40): serial part 71 %");
}

TEST(SerialLoss, is_not_named_if_the_interval_does_not_carry_it) {
  Profile profile = partly_serial_profile();
  SerialRow& serial = *profile.computation->serial;
  serial.low = 0.1;  // 0.525 * 0.1 / 0.71 of the time
  EXPECT_FALSE(serial_loss(profile));
  serial.low = 0.68;
  serial.time_s = 2;  // a short function
  EXPECT_FALSE(serial_loss(profile));
}

TEST(SerialLoss, needs_samples_regions_and_threads) {
  Profile profile = partly_serial_profile();
  for (RankRow& rank : profile.ranks) rank.threads = 1;
  EXPECT_FALSE(serial_loss(profile));
  profile = partly_serial_profile();
  profile.openmp.regions.clear();
  EXPECT_FALSE(serial_loss(profile));
  profile = partly_serial_profile();
  profile.computation->serial.reset();
  EXPECT_FALSE(serial_loss(profile));
  profile.computation.reset();
  EXPECT_FALSE(serial_loss(profile));
}

}  // namespace
}  // namespace plait::report
