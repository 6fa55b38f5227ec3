// SPDX-License-Identifier: BSD-3-Clause
// The four kinds of curves in Stengel's figure 3.5 get the verdicts of the thesis.
#include "model/overlap_verdict.hpp"

#include <gtest/gtest.h>

#include "machine/measured_text.hpp"

namespace plait::model {
namespace {

using machine::Measured;
using machine::OverlapPoint;
using machine::OverlapVerdict;

constexpr double kAlone = 50e3;

/// Points with work of 0 to 3 times the message, of which the fraction `hidden` overlaps.
void add_points(Measured& measured, const std::string& operation, double hidden,
                const std::string& setting, const std::string& work = "compute") {
  for (double part = 0; part <= 3; part += 0.25) {
    const double work_us = part * kAlone;
    const double total = kAlone + work_us - hidden * std::min(kAlone, work_us);
    OverlapPoint point{"network", operation, "rendezvous", 80 << 20,
                       work,      work_us,   kAlone,       {total, total, total, total, 9, {}},
                       setting};
    point.sentinel_ns = 1;
    measured.overlap.push_back(point);
  }
}

Measured with_mpi(const std::string& library) {
  Measured measured;
  measured.mpi = machine::MpiContext{library, "mpiexec"};
  return measured;
}

TEST(OverlapVerdict, AnMpiThatMovesMessagesByItself) {
  Measured measured = with_mpi("MPICH Version:      4.0.2\n");
  add_points(measured, "isend", 1, "");
  add_points(measured, "irecv", 0.97, "");
  measured.overlap_verdicts = judge_overlap(measured);
  ASSERT_EQ(measured.overlap_verdicts.size(), 1U);
  EXPECT_TRUE(measured.overlap_verdicts[0].progresses);
  EXPECT_NEAR(measured.overlap_verdicts[0].overlapped, 0.97, 1e-9);
  EXPECT_EQ(machine::overlap_headline(measured),
            "MPICH 4.0.2 moves long messages while the program computes");
}

// Open MPI 1.4 on Tinyblue: the send is performed asynchronously, the receive is not.
TEST(OverlapVerdict, ProgressOfSendsAloneIsNotEnough) {
  Measured measured = with_mpi("Open MPI v4.1.4, package: Debian");
  add_points(measured, "isend", 1, "");
  add_points(measured, "irecv", 0.03, "");
  add_points(measured, "isend", 1, "a communicating thread");
  add_points(measured, "irecv", 0.9, "a communicating thread");
  measured.overlap_verdicts = judge_overlap(measured);
  ASSERT_EQ(measured.overlap_verdicts.size(), 2U);
  EXPECT_FALSE(measured.overlap_verdicts[0].progresses);
  EXPECT_EQ(measured.overlap_verdicts[0].sentence,
            "Open MPI 4.1.4 does not move long messages between nodes while the program computes: "
            "3 % hidden");
  EXPECT_TRUE(measured.overlap_verdicts[1].progresses);
  EXPECT_EQ(machine::overlap_headline(measured),
            "Open MPI 4.1.4 does not move long messages while the program computes; with a "
            "communicating thread it does");
}

TEST(OverlapVerdict, SettingsThatDoNotHelpAreNamed) {
  Measured measured = with_mpi("Intel(R) MPI Library 2021.18 for Linux* OS");
  add_points(measured, "irecv", 0, "");
  add_points(measured, "irecv", 0.1, "I_MPI_ASYNC_PROGRESS=1");
  measured.overlap_verdicts = judge_overlap(measured);
  EXPECT_EQ(machine::overlap_headline(measured),
            "Intel MPI 2021.18 does not move long messages while the program computes, not even "
            "with I_MPI_ASYNC_PROGRESS=1");
}

TEST(OverlapVerdict, AnMpiWithOnlyEagerMessagesHasASentence) {
  Measured measured = with_mpi("MPICH Version:      5.0.2\n");
  add_points(measured, "irecv", 0.1, "");
  add_points(measured, "irecv", 1, "MPIR_CVAR_ASYNC_PROGRESS=1");
  for (OverlapPoint& point : measured.overlap) point.protocol = "eager";
  measured.overlap_verdicts = judge_overlap(measured);
  EXPECT_EQ(machine::overlap_headline(measured),
            "MPICH 5.0.2 does not move messages while the program computes; with "
            "MPIR_CVAR_ASYNC_PROGRESS=1 it does");
}

TEST(OverlapVerdict, MemoryBoundWorkCountsOnlyAlone) {
  Measured measured = with_mpi("");
  add_points(measured, "irecv", 0.2, "", "memory");
  EXPECT_FALSE(judge_overlap(measured).at(0).progresses);
  add_points(measured, "irecv", 0.9, "", "compute");
  EXPECT_TRUE(judge_overlap(measured).at(0).progresses);
}

// What a busy machine gave in three of three runs: some points seem to hide everything.
TEST(OverlapVerdict, PointsThatDisagreeGiveNoVerdict) {
  Measured measured = with_mpi("Open MPI v4.1.4, package: Debian");
  add_points(measured, "irecv", 1, "");
  for (std::size_t i = 0; i < measured.overlap.size(); i += 2) {
    OverlapPoint& point = measured.overlap[i];
    point.total_us.median = point.total_us.ci_low = point.total_us.ci_high =
        point.alone_us + point.work_us;
  }
  measured.overlap_verdicts = judge_overlap(measured);
  const OverlapVerdict& verdict = measured.overlap_verdicts.at(0);
  EXPECT_TRUE(verdict.undecided);
  EXPECT_FALSE(verdict.progresses);
  EXPECT_EQ(verdict.low, 0);
  EXPECT_EQ(verdict.high, 1);
  EXPECT_EQ(machine::overlap_headline(measured),
            "it is undecided whether Open MPI 4.1.4 moves long messages while the program computes "
            "(0 to 100 % are hidden)");
}

TEST(OverlapVerdict, WideIntervalsGiveNoVerdict) {
  Measured measured = with_mpi("");
  add_points(measured, "irecv", 0.9, "");
  for (OverlapPoint& point : measured.overlap) point.total_us.ci_high *= 1.5;
  EXPECT_TRUE(judge_overlap(measured).at(0).undecided);
}

TEST(OverlapVerdict, OnlyQuietPointsCount) {
  Measured measured = with_mpi("");
  add_points(measured, "irecv", 0, "");
  Measured busy;
  add_points(busy, "irecv", 1, "");
  for (OverlapPoint& point : busy.overlap) point.disturbed = 2;
  const OverlapVerdict undecided = judge_overlap(busy).at(0);
  EXPECT_TRUE(undecided.undecided);
  EXPECT_EQ(undecided.points, 0);
  EXPECT_EQ(undecided.reason, "0 of 7 measurements can be used; the ranks waited for a CPU in 7");
  EXPECT_EQ(undecided.sentence,
            "it is undecided whether this MPI moves long messages between nodes while the program "
            "computes: 0 of 7 measurements can be used; the ranks waited for a CPU in 7");
  busy.overlap.insert(busy.overlap.end(), measured.overlap.begin(), measured.overlap.end());
  const OverlapVerdict decided = judge_overlap(busy).at(0);
  EXPECT_FALSE(decided.undecided);
  EXPECT_FALSE(decided.progresses);
  EXPECT_EQ(decided.points, 7);

  for (OverlapPoint& point : busy.overlap) {
    point.total_us.n = point.disturbed > 0 ? 9 : 1;
    point.disturbed = 0;
    if (point.total_us.n == 9) point.sentinel_ns = 1.3;
  }
  const OverlapVerdict slower = judge_overlap(busy).at(0);
  EXPECT_TRUE(slower.undecided) << "single samples, and a slower machine";
  EXPECT_NE(slower.reason.find("the machine was slower in 7"), std::string::npos) << slower.reason;
}

TEST(OverlapVerdict, AFewPointsGiveNoVerdict) {
  Measured measured = with_mpi("");
  add_points(measured, "irecv", 1, "");
  measured.overlap.resize(6);
  EXPECT_TRUE(judge_overlap(measured).at(0).undecided);
}

TEST(OverlapVerdict, OnePathThatDoesNotMoveMessagesDecidesTheHeadline) {
  Measured measured = with_mpi("MPICH Version:      4.0.2\n");
  add_points(measured, "irecv", 0, "");
  add_points(measured, "isend", 1, "");
  for (OverlapPoint& point : measured.overlap) {
    if (point.operation == "isend") point.disturbed = 1;
  }
  measured.overlap_verdicts = judge_overlap(measured);
  EXPECT_FALSE(measured.overlap_verdicts.at(0).undecided) << "receives certainly do not move";
  EXPECT_EQ(machine::overlap_headline(measured),
            "MPICH 4.0.2 does not move long messages while the program computes");
}

TEST(OverlapVerdict, PointsWithoutEnoughWorkGiveNoVerdict) {
  Measured measured;
  measured.overlap.push_back(
      {"network", "isend", "rendezvous", 1, "compute", 1, 100, {50, 50, 50, 50, 9, {}}, ""});
  EXPECT_TRUE(judge_overlap(measured).empty());
  EXPECT_EQ(machine::overlap_headline(measured), "");
}

TEST(OverlapVerdict, HiddenPartIsBetweenNoneAndAll) {
  OverlapPoint point{"l3", "isend", "eager", 8, "compute", 10, 10, {}, ""};
  point.total_us.median = 30;
  EXPECT_EQ(hidden_part(point).value, 0);
  point.total_us = {14, 15, 14, 16, 9, {}};
  point.work_range_us = {9, 11};
  EXPECT_DOUBLE_EQ(hidden_part(point).value, 0.5);
  EXPECT_DOUBLE_EQ(hidden_part(point).low, 1.0 / 3) << "9 us of work, 16 us in total";
  EXPECT_DOUBLE_EQ(hidden_part(point).high, 0.7);
  point.total_us.median = 5;
  EXPECT_EQ(hidden_part(point).value, 1);
}

}  // namespace
}  // namespace plait::model
