// SPDX-License-Identifier: BSD-3-Clause
// User regions of C and Fortran programs on two ranks: counts, nesting, MPI time, and wrong ends.
#include <algorithm>

#include "recorded_run.hpp"

namespace plait::test {
namespace {

class Regions : public ::testing::TestWithParam<Mpi> {
protected:
  static RecordedRun run(const std::string& program) {
    return run_recorded(GetParam(), 2,
                        {std::string(PLAIT_TEST_PROGRAMS) + "/" + program + "_" + GetParam().kind});
  }

  /// The region with that name below one named `parent` ("": none).
  static const trace::UserRegion& region(const trace::RankRecord& record, const std::string& name,
                                         const std::string& parent = {}) {
    for (const auto& candidate : record.regions) {
      const std::string above =
          candidate.parent < 0 ? ""
                               : record.regions[static_cast<std::size_t>(candidate.parent)].name;
      if (candidate.name == name && above == parent) {
        return candidate;
      }
    }
    throw std::runtime_error("no region " + name);
  }

  static bool noted(const trace::RankRecord& record, const std::string& text) {
    return std::any_of(record.notes.begin(), record.notes.end(), [&](const std::string& note) {
      return note.find(text) != std::string::npos;
    });
  }
};

TEST_P(Regions, OfACProgramAreCountedByNameAndPlace) {
  const auto result = run("regions_c");
  ASSERT_TRUE(complete(result, 2));
  for (const auto& record : result.records) {
    EXPECT_EQ(region(record, "step").count, 10u);
    const auto& exchange = region(record, "exchange", "step");
    EXPECT_EQ(exchange.count, 20u);
    EXPECT_GT(exchange.mpi_s, 0);
    EXPECT_LE(exchange.mpi_s, exchange.time_s);
    EXPECT_LE(exchange.time_s, region(record, "step").time_s);
    EXPECT_EQ(region(record, "exchange").count, 1u);
    EXPECT_EQ(region(record, "exchange").mpi_s, 0);
    EXPECT_EQ(region(record, "by convention").count, 1u);
    EXPECT_EQ(record.openmp_view, PLAIT_OPENMP_NOT_SEEN);
    EXPECT_TRUE(record.unseen_entry_points.empty()) << record.unseen_entry_points[0];
  }
}

TEST_P(Regions, ThatAreEndedWronglyAreClosedAndNoted) {
  const auto result = run("regions_c");
  ASSERT_TRUE(complete(result, 2));
  for (const auto& record : result.records) {
    EXPECT_EQ(region(record, "outer").count, 1u);
    EXPECT_EQ(region(record, "forgotten", "outer").count, 1u);
    EXPECT_TRUE(noted(record, "outer"));
    EXPECT_TRUE(noted(record, "never entered"));
  }
}

TEST_P(Regions, APauseIsLeftOutAndWhatItMadeIsKnown) {
  const auto result = run("regions_c");
  ASSERT_TRUE(complete(result, 2));
  for (const auto& record : result.records) {
    std::uint64_t barriers = 0;
    std::uint64_t started = 0;
    for (const auto& call : record.calls) {
      EXPECT_NE(call.function, "MPI_Comm_dup");
      EXPECT_NE(call.function, "MPI_Sendrecv");
      if (call.function == "MPI_Start") started += call.bytes;
      if (call.function != "MPI_Barrier") continue;
      barriers += call.count;
      EXPECT_EQ(record.comms.at(call.comm).members.size(), 2u);
    }
    EXPECT_EQ(barriers, 2u);
    EXPECT_EQ(started, sizeof(double));
    EXPECT_TRUE(record.peers.empty());
    EXPECT_GT(record.paused_s, 0);
    EXPECT_TRUE(noted(record, "paused"));
  }
}

TEST_P(Regions, OfAFortranProgramNeedNoLibrary) {
  if (!PLAIT_TEST_FORTRAN) {
    GTEST_SKIP() << "no Fortran compiler";
  }
  const auto result = run("regions_fortran");
  ASSERT_TRUE(complete(result, 2));
  for (const auto& record : result.records) {
    EXPECT_EQ(region(record, "step").count, 4u);
    EXPECT_EQ(region(record, "wait", "step").count, 4u);
    EXPECT_GT(region(record, "wait", "step").mpi_s, 0);
    EXPECT_EQ(region(record, "plait_remap").count, 1u);
    EXPECT_TRUE(record.unseen_entry_points.empty()) << record.unseen_entry_points[0];
  }
}

TEST_P(Regions, DoNothingWithoutPlait) {
  const Mpi& mpi = GetParam();
  auto argv = mpi.command(2);
  argv.push_back(std::string(PLAIT_TEST_PROGRAMS) + "/regions_c_" + mpi.kind);
  const auto result =
      run_command(argv, std::chrono::seconds(150), {},
                  {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "regions: done\n") << result.err;
}

INSTANTIATE_TEST_SUITE_P(Mpis, Regions, ::testing::Values(PLAIT_TEST_MPIS),
                         [](const auto& instance) { return name_of(instance.param); });

}  // namespace
}  // namespace plait::test
