// SPDX-License-Identifier: BSD-3-Clause
// Settings that should make messages progress; those in quarantine are not tried.
#include "measure/progress_settings.hpp"

#include <gtest/gtest.h>

#include "base/environment.hpp"

namespace plait::measure {
namespace {

run::Quarantined hung(const launcher::Launcher& under, const std::string& setting) {
  run::Quarantined entry;
  entry.id = "0123abcd";
  entry.mpi = launcher::kind_name(under.kind);
  entry.version = under.version;
  entry.host = host_name();
  entry.settings = {setting};
  entry.what.kind = run::Outcome::hung;
  entry.what.limit_s = 20;
  return entry;
}

TEST(ProgressSettings, ThoseInQuarantineAreLeftOutAndReported) {
  launcher::Launcher mpich;
  mpich.kind = launcher::LauncherKind::mpich;
  mpich.version = "4.0.2";
  const auto settings = progress_settings(mpich.kind);
  ASSERT_EQ(settings.size(), 2U);
  std::vector<std::string> left_out;
  const auto tried =
      not_quarantined(settings, mpich, {hung(mpich, "-genv MPIR_CVAR_ASYNC_PROGRESS 1")}, left_out);
  ASSERT_EQ(tried.size(), 1U);
  EXPECT_TRUE(tried.front().poll);
  ASSERT_EQ(left_out.size(), 1U);
  EXPECT_NE(left_out.front().find("hung, killed after 20 s"), std::string::npos);
  EXPECT_NE(left_out.front().find("plait doctor --forget 0123abcd"), std::string::npos);
}

TEST(ProgressSettings, OfAnotherVersionAllAreTried) {
  launcher::Launcher intel;
  intel.kind = launcher::LauncherKind::intel;
  intel.version = "2021.18.1";
  launcher::Launcher older = intel;
  older.version = "2019.9";
  std::vector<std::string> left_out;
  EXPECT_EQ(not_quarantined(progress_settings(intel.kind), intel,
                            {hung(older, "I_MPI_ASYNC_PROGRESS=1")}, left_out)
                .size(),
            2U);
  EXPECT_TRUE(left_out.empty());
}

}  // namespace
}  // namespace plait::measure
