// SPDX-License-Identifier: BSD-3-Clause
// Tests that each pattern of communication is found, and none in clean programs.
#include "analysis/patterns.hpp"

#include <gtest/gtest.h>

#include "programs.hpp"

namespace plait::analysis {
namespace {

using test::all_ranks;
using test::together;
using trace::MadeTrace;

constexpr double kMicrosecond = 1e-6;

std::vector<PatternFinding> patterns_of(const trace::Trace& trace,
                                        const machine::Measured* measured = nullptr,
                                        const RunMpi& mpi = {}) {
  const Lanes lanes = make_lanes(trace);
  const Waits waits = find_waits(trace, lanes);
  const Intervals intervals = find_intervals(trace, lanes, waits);
  return find_patterns(trace, lanes, waits, find_causes(trace, lanes, waits, intervals), measured,
                       mpi);
}

std::vector<std::string> ids(const std::vector<PatternFinding>& findings) {
  std::vector<std::string> all;
  for (const PatternFinding& finding : findings) all.push_back(finding.id);
  return all;
}

std::vector<std::string> ids_of(MadeTrace& made) {
  return ids(patterns_of(made.take()));
}

using Ids = std::vector<std::string>;

/// Sets the clocks of all ranks to the same time.
void align(MadeTrace& made, int ranks) {
  double last = 0;
  for (const int rank : all_ranks(ranks)) last = std::max(last, made.now(rank));
  for (const int rank : all_ranks(ranks)) made.compute(rank, last - made.now(rank));
}

/// A correct exchange with both neighbours of a ring, overlapped with computation.
void clean_step(MadeTrace& made, int ranks) {
  for (const int rank : all_ranks(ranks)) made.compute(rank, 1e-3);
  std::vector<std::vector<std::uint32_t>> requests(static_cast<std::size_t>(ranks));
  made.from("receives");
  for (const int rank : all_ranks(ranks)) {
    for (const int side : {1, ranks - 1}) {
      requests[static_cast<std::size_t>(rank)].push_back(
          made.ireceive(rank, (rank + side) % ranks, 8000, kMicrosecond, side == 1 ? 1 : 2));
    }
  }
  made.from("sends");
  for (const int rank : all_ranks(ranks)) {
    for (const int side : {1, ranks - 1}) {
      requests[static_cast<std::size_t>(rank)].push_back(
          made.isend(rank, (rank + side) % ranks, 8000, kMicrosecond, side == 1 ? 2 : 1));
    }
  }
  made.from("waits");
  for (const int rank : all_ranks(ranks)) {
    made.wait(rank, requests[static_cast<std::size_t>(rank)], 5 * kMicrosecond);
  }
  made.from("sum");
  together(made, all_ranks(ranks), "MPI_Allreduce", 8, 10 * kMicrosecond);
}

TEST(Patterns, ACleanProgramHasNone) {
  for (const int ranks : {2, 3, 4, 8}) {
    MadeTrace made(ranks);
    for (int i = 0; i < 300; ++i) clean_step(made, ranks);
    EXPECT_EQ(ids_of(made), Ids{}) << ranks << " ranks";
  }
}

TEST(Patterns, ATraceWithoutEventsHasNone) {
  MadeTrace made(2);
  EXPECT_EQ(ids_of(made), Ids{});
}

void collect_from_workers(MadeTrace& made, int rounds, bool wildcard) {
  for (int i = 0; i < rounds; ++i) {
    for (const int rank : {1, 2, 3}) {
      made.from("worker");
      made.compute(rank, 1e-4 * (1 + (i + rank) % 3));
      made.send(rank, 0, 400 + static_cast<std::uint64_t>(rank), kMicrosecond);
    }
    made.from("master");
    for (const int rank : {1, 2, 3}) {
      made.receive(0, rank, 400 + static_cast<std::uint64_t>(rank), 2e-4, 0, wildcard);
    }
    align(made, 4);
  }
}

TEST(Patterns, ReceivesFromAnySourceInAHotPath) {
  MadeTrace made(4);
  collect_from_workers(made, 100, true);
  const trace::Trace trace = made.take();
  const auto findings = patterns_of(trace);
  ASSERT_EQ(ids(findings), Ids{"any_source"});
  EXPECT_NE(findings[0].evidence.find("300 receives"), std::string::npos) << findings[0].evidence;
  EXPECT_NE(findings[0].evidence.find("3 different ranks"), std::string::npos);
  EXPECT_EQ(findings[0].ranks, std::vector<int>{0});
  EXPECT_EQ(test::site_name(trace, findings[0].sites.at(0)), "master");
  EXPECT_GT(findings[0].cost_s, 0);
  EXPECT_LE(findings[0].cost_s, 300 * 2e-4);
}

TEST(Patterns, AFewReceivesFromAnySourceOrManyNamedOnesAreNone) {
  MadeTrace few(4);
  collect_from_workers(few, 30, true);
  EXPECT_EQ(ids_of(few), Ids{});
  MadeTrace named(4);
  collect_from_workers(named, 100, false);
  EXPECT_EQ(ids_of(named), Ids{});
}

/// Requests of four messages that are completed one by one, with `between` of computation after
/// each.
void drain_one_by_one(MadeTrace& made, int rounds, double between) {
  for (int i = 0; i < rounds; ++i) {
    std::vector<std::uint32_t> requests;
    for (int k = 0; k < 4; ++k) {
      made.from("post" + std::to_string(k));
      requests.push_back(made.ireceive(1, 0, 5000 + static_cast<std::uint64_t>(k), 0, k));
    }
    for (int k = 0; k < 4; ++k) {
      made.compute(0, 1e-5);
      made.send(0, 1, 5000 + static_cast<std::uint64_t>(k), kMicrosecond, k);
    }
    made.from("loop");
    for (const std::uint32_t request : requests) {
      made.wait(1, {request}, 1.5e-5, "MPI_Waitany");
      made.compute(1, between);
    }
    align(made, 2);
  }
}

TEST(Patterns, RequestsCompletedOneByOneWithWaitany) {
  MadeTrace made(2);
  drain_one_by_one(made, 100, 1e-6);
  const auto findings = patterns_of(made.take());
  const auto found = std::ranges::find(findings, std::string("waitany_loop"), &PatternFinding::id);
  ASSERT_NE(found, findings.end());
  EXPECT_NE(found->evidence.find("400 calls in 100 loops of 4.0 calls"), std::string::npos)
      << found->evidence;
}

TEST(Patterns, WaitanyWithWorkBetweenIsNone) {
  MadeTrace made(2);
  drain_one_by_one(made, 100, 1e-4);
  const auto found = ids_of(made);
  EXPECT_EQ(std::ranges::count(found, "waitany_loop"), 0);
}

void late_receives(MadeTrace& made, int rounds, bool always) {
  for (int i = 0; i < rounds; ++i) {
    made.from("exchange");
    const bool late = always || i % 2 == 0;
    made.compute(0, late ? 1e-5 : 2e-5);
    made.send(0, 1, 2000, kMicrosecond);
    made.compute(1, late ? 2e-5 : 1e-5);
    made.receive(1, 0, 2000, late ? 2e-6 : 1.2e-5);
    align(made, 2);
  }
}

TEST(Patterns, ReceivesAfterTheirMessages) {
  MadeTrace made(2);
  late_receives(made, 200, true);
  const auto findings = patterns_of(made.take());
  ASSERT_EQ(ids(findings), Ids{"late_receive"});
  EXPECT_NE(findings[0].evidence.find("200 of 200 messages were unexpected"), std::string::npos)
      << findings[0].evidence;
  EXPECT_NEAR(findings[0].cost_s, 200 * 2e-6, 1e-9);
}

TEST(Patterns, ReceivesThatAreLateHalfOfTheTimeAreJitter) {
  MadeTrace made(2);
  late_receives(made, 400, false);
  EXPECT_EQ(ids_of(made), Ids{});
}

TEST(Patterns, BarriersThatOrderNothing) {
  MadeTrace made(4);
  for (int i = 0; i < 50; ++i) {
    clean_step(made, 4);
    made.from("barrier");
    together(made, all_ranks(4), "MPI_Barrier", 0, 20 * kMicrosecond);
  }
  const trace::Trace trace = made.take();
  const auto findings = patterns_of(trace);
  ASSERT_EQ(ids(findings), Ids{"idle_barrier"});
  EXPECT_NEAR(findings[0].cost_s, 50 * 20 * kMicrosecond, 1e-9);
  EXPECT_NE(findings[0].evidence.find("50 barriers"), std::string::npos) << findings[0].evidence;
  EXPECT_NE(findings[0].evidence.find("100 %"), std::string::npos) << findings[0].evidence;
  EXPECT_EQ(test::site_name(trace, findings[0].sites.at(0)), "barrier");
}

TEST(Patterns, BarriersThatSeparateReceivesFromAnySourceOrderThem) {
  MadeTrace made(4);
  for (int i = 0; i < 50; ++i) {
    collect_from_workers(made, 1, true);
    made.from("barrier");
    together(made, all_ranks(4), "MPI_Barrier", 0, 20 * kMicrosecond);
  }
  const auto found = ids_of(made);
  EXPECT_EQ(std::ranges::count(found, "idle_barrier"), 0);
}

TEST(Patterns, AFewBarriersAreNone) {
  MadeTrace made(4);
  for (int i = 0; i < 5; ++i) {
    clean_step(made, 4);
    together(made, all_ranks(4), "MPI_Barrier", 0, 20 * kMicrosecond);
  }
  EXPECT_EQ(ids_of(made), Ids{});
}

TEST(Patterns, AStarOfSendsIsABroadcast) {
  MadeTrace made(5);
  for (int i = 0; i < 20; ++i) {
    made.from("root");
    for (const int to : {0, 1, 3, 4}) made.send(2, to, 800, kMicrosecond);
    made.from("others");
    for (const int rank : {0, 1, 3, 4}) {
      made.receive(rank, 2, 800, 1e-5);
      made.compute(rank, 1e-4);
    }
    align(made, 5);
  }
  const trace::Trace trace = made.take();
  const auto findings = patterns_of(trace);
  ASSERT_EQ(ids(findings), Ids{"handmade_collective"});
  EXPECT_NE(findings[0].remedy.find("MPI_Bcast"), std::string::npos);
  EXPECT_EQ(findings[0].ranks, std::vector<int>{2});
  EXPECT_EQ(test::site_name(trace, findings[0].sites.at(0)), "root");
  EXPECT_NEAR(findings[0].cost_s, 20 * 4 * kMicrosecond, 1e-9);
}

TEST(Patterns, AStarOfReceivesIsAReduction) {
  MadeTrace made(4);
  for (int i = 0; i < 20; ++i) {
    made.from("others");
    for (const int rank : {1, 2, 3}) made.send(rank, 0, 8, kMicrosecond);
    made.from("root");
    for (const int from : {1, 2, 3}) made.receive(0, from, 8, 2e-6);
    align(made, 4);
    for (const int rank : all_ranks(4)) made.compute(rank, 1e-4);
  }
  const auto findings = patterns_of(made.take());
  ASSERT_EQ(ids(findings), Ids{"handmade_collective"});
  EXPECT_NE(findings[0].remedy.find("MPI_Reduce"), std::string::npos);
}

TEST(Patterns, SendsToAllOthersByAllAreAnAlltoall) {
  MadeTrace made(4);
  for (int i = 0; i < 20; ++i) {
    std::vector<std::vector<std::uint32_t>> requests(4);
    made.from("post");
    for (const int rank : all_ranks(4)) {
      for (const int other : all_ranks(4)) {
        if (other == rank) continue;
        requests[static_cast<std::size_t>(rank)].push_back(
            made.ireceive(rank, other, 800, kMicrosecond));
      }
    }
    made.from("send");
    for (const int rank : all_ranks(4)) {
      for (const int other : all_ranks(4)) {
        if (other != rank) {
          requests[static_cast<std::size_t>(rank)].push_back(
              made.isend(rank, other, 800, kMicrosecond));
        }
      }
      made.compute(rank, 1e-4);
    }
    for (const int rank : all_ranks(4)) {
      made.wait(rank, requests[static_cast<std::size_t>(rank)], kMicrosecond);
    }
  }
  const auto findings = patterns_of(made.take());
  ASSERT_EQ(ids(findings), Ids{"handmade_collective"});
  EXPECT_NE(findings[0].remedy.find("MPI_Alltoall"), std::string::npos);
}

TEST(Patterns, MessagesRoundARingAreAnAllgather) {
  MadeTrace made(5);
  for (int i = 0; i < 20; ++i) {
    made.from("ring");
    for (int k = 0; k < 4; ++k) {
      for (const int rank : all_ranks(5)) {
        made.send_receive(rank, (rank + 1) % 5, 800, (rank + 4) % 5, 800, 1e-5);
      }
    }
    made.from("sum");
    for (const int rank : all_ranks(5)) made.compute(rank, 1e-3);
    together(made, all_ranks(5), "MPI_Allreduce", 8);
  }
  const auto findings = patterns_of(made.take());
  ASSERT_EQ(ids(findings), Ids{"handmade_collective"});
  EXPECT_NE(findings[0].remedy.find("MPI_Allgather"), std::string::npos);
}

TEST(Patterns, ManySmallMessagesThatCouldBeOne) {
  MadeTrace made(2);
  for (int i = 0; i < 40; ++i) {
    made.compute(0, 1e-4);
    std::vector<std::uint32_t> requests;
    made.from("receives");
    for (int k = 0; k < 6; ++k) requests.push_back(made.ireceive(1, 0, 64, 0, k));
    made.from("sends");
    for (int k = 0; k < 6; ++k) made.send(0, 1, 64, kMicrosecond, k);
    made.wait(1, requests, 1.1e-4);
    align(made, 2);
  }
  const auto findings = patterns_of(made.take());
  ASSERT_EQ(ids(findings), Ids{"small_messages"});
  EXPECT_NE(findings[0].evidence.find("200 messages"), std::string::npos) << findings[0].evidence;
  EXPECT_NEAR(findings[0].cost_s, 40 * 5 * kMicrosecond, 1e-9);
}

/// Bursts of six messages with `between` of work before each send, which takes `in_send`.
void bursts(MadeTrace& made, double between, double in_send) {
  for (int i = 0; i < 40; ++i) {
    std::vector<std::uint32_t> requests;
    made.from("receives");
    for (int k = 0; k < 6; ++k) requests.push_back(made.ireceive(1, 0, 64, 0, k));
    made.from("sends");
    for (int k = 0; k < 6; ++k) {
      made.compute(0, between);
      made.send(0, 1, 64, in_send, k);
    }
    made.wait(1, requests, 1e-4);
    align(made, 2);
  }
}

TEST(Patterns, SmallMessagesWithWorkBetweenAreNone) {
  MadeTrace made(2);
  bursts(made, 1e-5, kMicrosecond);
  EXPECT_EQ(ids_of(made), Ids{});
}

TEST(Patterns, LessThanAMicrosecondBetweenQuickSendsIsNotWork) {
  MadeTrace made(2);
  bursts(made, kMicrosecond / 2, kMicrosecond / 5);
  EXPECT_EQ(ids_of(made), Ids{"small_messages"});
}

TEST(Patterns, PackingWithMpi) {
  MadeTrace made(2);
  for (int i = 0; i < 60; ++i) {
    clean_step(made, 2);
    made.from("pack");
    for (const int rank : all_ranks(2)) {
      made.other(rank, "MPI_Pack_size", kMicrosecond);
      made.other(rank, "MPI_Pack", 3 * kMicrosecond);
      made.other(rank, "MPI_Unpack", 3 * kMicrosecond);
    }
  }
  const auto findings = patterns_of(made.take());
  ASSERT_EQ(ids(findings), Ids{"packing"});
  EXPECT_NEAR(findings[0].cost_s, 60 * 6 * kMicrosecond, 1e-9);
  EXPECT_NE(findings[0].evidence.find("120 calls that pack, 120 that unpack"), std::string::npos);
}

/// Messages both ways with `behind` of overlapping computation, and `in_wait` to complete them.
void exchange(MadeTrace& made, double behind, double in_wait, std::uint64_t bytes = 1 << 20) {
  for (int i = 0; i < 40; ++i) {
    std::vector<std::vector<std::uint32_t>> requests(2);
    for (const int rank : {0, 1}) {
      made.from("start");
      requests[static_cast<std::size_t>(rank)] = {
          made.ireceive(rank, 1 - rank, bytes, kMicrosecond),
          made.isend(rank, 1 - rank, bytes, kMicrosecond)};
      made.compute(rank, behind);
      made.from("finish");
      made.wait(rank, requests[static_cast<std::size_t>(rank)], in_wait);
      made.compute(rank, 1e-3);
    }
  }
}

TEST(Patterns, ComputationDuringMessagesThatDoNotMove) {
  MadeTrace made(2);
  exchange(made, 1e-3, 4e-4);
  const auto findings = patterns_of(made.take());
  ASSERT_EQ(ids(findings), Ids{"no_overlap"});
  EXPECT_NE(findings[0].what.find("does not move non-blocking messages"), std::string::npos);
  EXPECT_NEAR(findings[0].cost_s, 40 * 4e-4, 1e-9);
  EXPECT_NE(findings[0].evidence.find("judged by this trace alone"), std::string::npos);
}

TEST(Patterns, ShortMessagesAreSentAtOnce) {
  MadeTrace made(2);
  exchange(made, 1e-3, 4e-4, 1000);
  EXPECT_EQ(ids_of(made), Ids{});
}

TEST(Patterns, LongMessagesCompletedImmediately) {
  MadeTrace made(2);
  exchange(made, 0, 4e-4);
  const auto findings = patterns_of(made.take());
  ASSERT_EQ(ids(findings), Ids{"no_overlap"});
  EXPECT_NE(findings[0].what.find("immediately"), std::string::npos);
}

TEST(Patterns, MessagesThatMoveDuringComputationAreOverlap) {
  MadeTrace made(2);
  exchange(made, 1e-3, 5e-6);
  EXPECT_EQ(ids_of(made), Ids{});
}

/// A network of 10 us and 10 GB/s with Open MPI, and its measured progress of long messages.
machine::Measured measured_network(bool progresses) {
  machine::Measured measured;
  measured.mpi = machine::MpiContext{"Open MPI v4.1.4, package: Debian", "mpiexec"};
  machine::Path path;
  path.id = "network";
  path.pairs = {{0, 1}};
  for (const std::uint64_t bytes : {0U, 1U, 1024U, 65536U, 1U << 20, 1U << 22}) {
    machine::CurvePoint point;
    point.bytes = bytes;
    point.half_round_trip_us.median = 10 + static_cast<double>(bytes) * 1e-4;
    point.half_round_trip_us.n = 10;
    point.bandwidth_gbs = static_cast<double>(bytes) * 1e-3 / point.half_round_trip_us.median;
    path.mpi_pingpong.push_back(point);
  }
  measured.paths.push_back(path);
  measured.overlap_verdicts = {
      {"network", "eager", "", true, 0.9, ""},
      {"network", "rendezvous", "", progresses, progresses ? 0.97 : 0.03, ""},
      {"network", "rendezvous", "a communicating thread", true, 0.8, ""}};
  return measured;
}
const RunMpi kOpenMpi{"Open MPI 4.1.4", ""};
const RunMpi kMpich{"MPICH 4.0.2", ""};

TEST(Patterns, MeasurementsOfThisMpiShowThatMessagesDoNotMove) {
  MadeTrace made(2, 1);
  exchange(made, 1e-3, 1e-4);  // two messages of 115 us each
  const trace::Trace trace = made.take();
  const machine::Measured measured = measured_network(false);
  EXPECT_EQ(ids(patterns_of(trace, &measured, kMpich)), Ids{}) << "half of the time overlapped";
  const auto findings = patterns_of(trace, &measured, kOpenMpi);
  ASSERT_EQ(ids(findings), Ids{"no_overlap"});
  EXPECT_NE(findings[0].evidence.find("Open MPI 4.1.4 does not move long messages between nodes "
                                      "while the program computes: 3 % hidden, measured by plait "
                                      "measure"),
            std::string::npos)
      << findings[0].evidence;
}

TEST(Patterns, MeasurementsOfThisMpiShowThatMessagesMove) {
  MadeTrace made(2, 1);
  exchange(made, 1e-3, 4e-4);
  const trace::Trace trace = made.take();
  const machine::Measured measured = measured_network(true);
  EXPECT_EQ(ids(patterns_of(trace, &measured, kOpenMpi)), Ids{});
  const auto findings = patterns_of(trace, &measured, kMpich);
  ASSERT_EQ(ids(findings), Ids{"no_overlap"});
  EXPECT_NE(findings[0].evidence.find("judged by this trace alone: plait measure tested Open MPI "
                                      "4.1.4, but this program ran with MPICH 4.0.2"),
            std::string::npos)
      << findings[0].evidence;
}

TEST(Patterns, MeasurementsShowWhetherOverlappingComputationWouldHelp) {
  for (const bool progresses : {false, true}) {
    MadeTrace made(2, 1);
    exchange(made, 0, 4e-4);
    const machine::Measured measured = measured_network(progresses);
    const auto findings = patterns_of(made.take(), &measured, kOpenMpi);
    ASSERT_EQ(ids(findings), Ids{"no_overlap"});
    EXPECT_NE(findings[0].evidence.find(", measured by plait measure"), std::string::npos);
    EXPECT_EQ(findings[0].remedy.find("MPI_Test") == std::string::npos, progresses);
    const std::string helps = "In plait measure they moved with a communicating thread.";
    EXPECT_EQ(findings[0].remedy.find(helps) == std::string::npos, progresses)
        << findings[0].remedy;
  }
}

TEST(MeasuredProgress, AVerdictAppliesToItsMpiSettingPathAndProtocol) {
  const machine::Measured measured = measured_network(false);
  const auto paths = paths_of(&measured);
  const MeasuredProgress progress(&measured, paths, kOpenMpi);
  const std::size_t within = progress.kind_of(false, 1 << 20);
  const std::size_t short_one = progress.kind_of(true, 100);
  const std::size_t long_one = progress.kind_of(true, 1 << 20);
  const auto judged = [](const MeasuredProgress& by, std::size_t kind, std::uint64_t bytes,
                         std::size_t beside, std::uint64_t more) -> std::string {
    std::array<std::uint64_t, MeasuredProgress::kKinds> of{};
    of[kind] += bytes;
    of[beside] += more;
    const machine::OverlapVerdict* verdict = by.judge(of);
    return verdict == nullptr ? "unknown" : verdict->progresses ? "moves" : "stays";
  };
  EXPECT_EQ(judged(progress, long_one, 100, within, 0), "stays");
  EXPECT_EQ(judged(progress, short_one, 100, long_one, 99), "moves");
  EXPECT_EQ(judged(progress, short_one, 99, long_one, 100), "stays");
  EXPECT_EQ(judged(progress, long_one, 100, within, 100), "unknown")
      << "no verdict applies to most bytes";
  EXPECT_EQ(judged(progress, within, 100, within, 0), "unknown");
  EXPECT_NE(progress.why_not().find("no result for such messages"), std::string::npos);
  const MeasuredProgress by_thread(&measured, paths, {"Open MPI 4.1.4", "a communicating thread"});
  EXPECT_EQ(judged(by_thread, long_one, 100, within, 0), "moves");
  const MeasuredProgress other(&measured, paths, kMpich);
  EXPECT_EQ(judged(other, long_one, 100, within, 0), "unknown");
  const MeasuredProgress none(nullptr, {}, kOpenMpi);
  EXPECT_EQ(judged(none, long_one, 100, within, 0), "unknown");
  EXPECT_NE(none.why_not().find("was not measured"), std::string::npos);
}

TEST(Patterns, RanksThatWorkOneAfterTheOther) {
  MadeTrace made(4);
  for (int i = 0; i < 30; ++i) {
    made.from("chain");
    for (const int rank : all_ranks(4)) {
      if (rank > 0) test::receive_sent(made, rank, rank - 1, 100, made.now(rank - 1));
      made.compute(rank, 1e-3);
      if (rank < 3) made.send(rank, rank + 1, 100, 0);
    }
    made.from("sum");
    together(made, all_ranks(4), "MPI_Allreduce", 8);
  }
  const auto findings = patterns_of(made.take());
  ASSERT_EQ(ids(findings), Ids{"chain"});
  EXPECT_NE(findings[0].evidence.find("0 -> 1 -> 2 -> 3"), std::string::npos)
      << findings[0].evidence;
  EXPECT_GT(findings[0].cost_s, 0);
}

}  // namespace
}  // namespace plait::analysis
