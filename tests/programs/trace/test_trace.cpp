// SPDX-License-Identifier: BSD-3-Clause
// Tests traces of real programs: events, matched messages and requests, as the programs report
// them.
#include <fstream>
#include <set>

#include "traced_run.hpp"

namespace plait::test {
namespace {

using trace::Event;
using trace::EventKind;
using trace::kNone;
using trace::Operation;
using trace::OperationKind;
using trace::Rank;

class Traces : public ::testing::TestWithParam<Mpi> {
protected:
  TracedRun run_{GetParam().kind};

  void run(int ranks, std::vector<std::string> program,
           const std::vector<std::string>& environment = {"PLAIT_OPTIONS=trace"}) {
    program[0] = std::string(PLAIT_TEST_PROGRAMS) + "/trace_" + program[0] + "_" + GetParam().kind;
    run_.run(GetParam(), ranks, program, environment);
  }

  [[nodiscard]] const trace::Trace& trace() const { return run_.trace; }
  [[nodiscard]] const Rank& rank(std::size_t number) const { return run_.trace.ranks[number]; }

  [[nodiscard]] ::testing::AssertionResult ended_well(std::size_t ranks) const {
    if (run_.result.exit_code == 0 && run_.error.empty() && trace().problems.empty() &&
        trace().ranks.size() == ranks)
      return ::testing::AssertionSuccess();
    auto failure = ::testing::AssertionFailure();
    failure << "exit code " << run_.result.exit_code << "\n"
            << run_.result.out << run_.result.err << run_.error << "\n";
    for (const std::string& problem : trace().problems) failure << problem << "\n";
    return failure;
  }

  /// Every call is an event, except that consecutive polls are one.
  void expect_all_calls() const {
    for (std::size_t number = 0; number < trace().ranks.size(); ++number) {
      auto counted = run_.counted(static_cast<int>(number));
      auto traced = run_.traced(static_cast<int>(number));
      for (const char* polls : {"MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome",
                                "MPI_Iprobe", "MPI_Improbe"}) {
        EXPECT_LE(traced[polls], counted[polls]) << polls;
        EXPECT_EQ(traced[polls] > 0, counted[polls] > 0) << polls;
        traced[polls] = counted[polls];
      }
      EXPECT_EQ(traced, counted) << "rank " << number;
    }
  }

  /// The operations of a kind in the order in which they were started, on one thread.
  static std::vector<std::uint32_t> in_order(const Rank& rank, OperationKind kind) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < rank.operations.size(); ++i)
      if (rank.operations[i].kind == kind) found.push_back(i);
    return found;
  }

  static std::uint64_t count(const Rank& rank, const trace::Trace& trace, EventKind kind) {
    std::uint64_t events = 0;
    for (const auto& stream : rank.streams)
      for (const auto& event : stream.events) events += trace.shape(event).kind == kind;
    return events;
  }
};

using Pair = std::array<int, 4>;

TEST_P(Traces, ShowTheSenderOfEachReceive) {
  for (const char* level : {"", "multiple"}) {
    std::vector<std::string> program{"messages", run_.folder.string()};
    if (*level) program.emplace_back(level);
    run(4, program);
    ASSERT_TRUE(ended_well(4));
    std::set<Pair> said, matched;
    for (int number = 0; number < 4; ++number) {
      std::ifstream file(run_.folder / std::to_string(number));
      for (Pair pair; file >> pair[0] >> pair[1] >> pair[2] >> pair[3];) said.insert(pair);
    }
    std::vector<std::map<std::uint32_t, int>> sends(4), receives(4);  // operation to ordinal
    for (std::size_t number = 0; number < 4; ++number) {
      for (const auto i : in_order(rank(number), OperationKind::send))
        sends[number].emplace(i, static_cast<int>(sends[number].size()));
      for (const auto i : in_order(rank(number), OperationKind::receive))
        receives[number].emplace(i, static_cast<int>(receives[number].size()));
    }
    for (const auto& message : trace().messages) {
      const Operation& receive = rank(message.receiver).operations[message.receive];
      matched.insert({static_cast<int>(message.receiver),
                      receives[message.receiver].at(message.receive),
                      static_cast<int>(message.sender), sends[message.sender].at(message.send)});
      EXPECT_EQ(receive.partner, static_cast<int>(message.sender));
      EXPECT_EQ(receive.bytes, 8u);
      EXPECT_EQ(receive.tag, rank(message.sender).operations[message.send].tag);
    }
    EXPECT_GT(said.size(), 350u);
    EXPECT_EQ(matched, said);
    EXPECT_EQ(trace().unmatched_sends + trace().unmatched_receives, 0u);
    expect_all_calls();
  }
}

TEST_P(Traces, ShowTheCallThatEndedEachRequest) {
  run(4, {"messages", run_.folder.string()});
  ASSERT_TRUE(ended_well(4));
  for (const Rank& of : trace().ranks) {
    int cancelled = 0, freed = 0;
    for (const Operation& operation : of.operations) {
      cancelled += operation.cancelled;
      freed += operation.freed;
      ASSERT_NE(operation.ended, kNone)
          << trace().functions[trace().shape(of.streams[0].events[operation.started]).function];
      EXPECT_LE(of.streams[operation.stream].events[operation.started].begin,
                of.streams[operation.end_stream].events[operation.ended].end);
    }
    EXPECT_EQ(cancelled, 1);
    EXPECT_EQ(freed, 1);
  }
}

TEST_P(Traces, MatchTheMembersOfCollectives) {
  run(4, {"messages", run_.folder.string()});
  ASSERT_TRUE(ended_well(4));
  std::map<std::string, int> found;
  for (const auto& collective : trace().collectives) {
    const auto& shape = trace().shapes[collective.shape];
    EXPECT_TRUE(collective.consistent) << trace().functions[shape.function];
    if (trace().comms[collective.comm].members.size() == 4u)
      ++found[trace().functions[shape.function]];
  }
  EXPECT_EQ(found["MPI_Barrier"], 14 + 2);
  for (const char* name : {"MPI_Bcast", "MPI_Allreduce", "MPI_Gather", "MPI_Alltoall",
                           "MPI_Iallgather", "MPI_Ibarrier"})
    EXPECT_EQ(found[name], 1) << name;
}

TEST_P(Traces, FollowRequestsFromThreadToThread) {
  run(2, {"threads"});
  if (run_.result.out.find("no threads") != std::string::npos) GTEST_SKIP();
  ASSERT_TRUE(ended_well(2));
  expect_all_calls();
  EXPECT_EQ(trace().messages.size(), 2u * 4 * 100);
  for (const Rank& of : trace().ranks) {
    EXPECT_EQ(of.streams.size(), 5u);
    for (const Operation& operation : of.operations) {
      EXPECT_NE(operation.ended, kNone);
      // Sends that complete at once have the same handle in all threads.
      if (operation.kind == OperationKind::receive) {
        EXPECT_NE(operation.stream, operation.end_stream);
      }
    }
  }
}

TEST_P(Traces, ContainOpenMPRegionsAndUserRegions) {
  run(2, {"hybrid"});
  ASSERT_TRUE(ended_well(2));
  expect_all_calls();
  EXPECT_EQ(trace().messages.size(), 2u * 10);
  for (const Rank& of : trace().ranks) {
    EXPECT_EQ(of.streams.size(), 2u);
    EXPECT_EQ(count(of, trace(), EventKind::parallel), 10u);
    EXPECT_EQ(count(of, trace(), EventKind::region), 10u);
    for (const auto& stream : of.streams) {
      std::uint64_t work = 0;
      std::int64_t last = 0;
      const Event* parallel = nullptr;
      for (const Event& event : stream.events) {
        const EventKind kind = trace().shape(event).kind;
        EXPECT_LE(event.begin, event.end);
        EXPECT_LE(last, event.end);
        last = event.end;
        work += kind == EventKind::work;
        if (kind == EventKind::parallel) parallel = &event;
        if (kind == EventKind::region) {
          ASSERT_NE(parallel, nullptr);
          EXPECT_LE(event.begin, parallel->begin);
          EXPECT_EQ(trace().regions[trace().shape(event).site].name, "step");
        }
      }
      EXPECT_EQ(work, 10u);
    }
  }
}

TEST_P(Traces, OfAKilledProcessEndWithItsLastCall) {
  for (const char* end : {"kill", "leave"}) {
    run(2, {"stream", "30000", end});
    ASSERT_TRUE(run_.error.empty()) << run_.error;
    ASSERT_EQ(trace().ranks.size(), 2u) << run_.result.err;
    EXPECT_EQ(trace().messages.size(), 30000u);
    const auto& last = rank(1).streams[0].events.back();
    EXPECT_EQ(trace().functions[trace().shape(last).function], "MPI_Barrier");
    EXPECT_FALSE(rank(1).complete);
  }
}

TEST_P(Traces, AsARingKeepTheLastEvents) {
  run(2, {"stream", "200000"}, {"PLAIT_OPTIONS=trace_ring", "PLAIT_TRACE_LIMIT=1048576"});
  ASSERT_TRUE(ended_well(2));
  EXPECT_LE(run_.event_bytes, 2u * (2u << 20));
  for (std::size_t number = 0; number < 2; ++number) {
    const auto& events = rank(number).streams[0].events;
    EXPECT_GT(rank(number).overwritten_events, 100000u);
    EXPECT_EQ(rank(number).lost_events, 0u);
    // The trace also has an event for each wait for a CPU.
    EXPECT_GE(rank(number).overwritten_events + events.size(), 200000u + 4);
    EXPECT_LE(rank(number).overwritten_events + events.size(), 210000u);
    EXPECT_EQ(trace().functions[trace().shape(events.back()).function], "MPI_Finalize");
  }
}

TEST_P(Traces, StopAtTheirLimitAndSaySo) {
  run(2, {"stream", "200000"}, {"PLAIT_OPTIONS=trace", "PLAIT_TRACE_LIMIT=1048576"});
  EXPECT_EQ(run_.result.exit_code, 0);
  EXPECT_NE(run_.result.err.find("has reached its limit"), std::string::npos) << run_.result.err;
  ASSERT_TRUE(run_.error.empty()) << run_.error;
  EXPECT_LE(run_.event_bytes, 2u * (2u << 20));
  for (std::size_t number = 0; number < 2; ++number) {
    const auto& events = rank(number).streams[0].events;
    EXPECT_GT(rank(number).lost_events, 100000u);
    // Beside other programs, some of the lost events are waits for a CPU.
    EXPECT_GE(rank(number).lost_events + events.size(), 200000u + 4);
    EXPECT_EQ(trace().functions[trace().shape(events[0]).function], "MPI_Init");
    // The profile continues.
    EXPECT_EQ(run_.counted(static_cast<int>(number))[number == 0 ? "MPI_Send" : "MPI_Recv"],
              200000u);
  }
}

TEST_P(Traces, StayReadableWithADifferentTagForEachMessage) {
  run(2, {"stream", "40000", "tags"});
  ASSERT_TRUE(ended_well(2));
  ASSERT_EQ(trace().messages.size(), 40000u);
  int tag = 0;
  for (const auto i : in_order(rank(1), OperationKind::receive)) {
    const Operation& receive = rank(1).operations[i];
    ASSERT_EQ(receive.tag, tag);
    ASSERT_EQ(rank(0).operations[trace().messages[receive.message].send].tag, tag);
    ++tag;
  }
}

TEST_P(Traces, ContainWaitsForMoreRequestsThanFitIntoAnEvent) {
  run(2, {"stream", "10", "wait"});
  ASSERT_TRUE(ended_well(2));
  EXPECT_EQ(trace().messages.size(), 20010u);
  for (const Rank& of : trace().ranks)
    for (const Operation& operation : of.operations) ASSERT_NE(operation.ended, kNone);
}

TEST_P(Traces, LeaveOutPausesButFollowRequestsThroughThem) {
  run(2, {"stream", "10", "pause"});
  ASSERT_EQ(run_.result.exit_code, 0) << run_.result.err;
  EXPECT_EQ(trace().messages.size(), 12u);
  for (const Rank& of : trace().ranks) {
    std::vector<bool> ended;
    for (const Operation& operation : of.operations) {
      const trace::Shape& shape = trace().shapes[operation.shape];
      if (!(shape.flags & PLAIT_SHAPE_DERIVED)) continue;
      EXPECT_EQ(operation.bytes, 8u);
      ended.push_back(operation.ended != kNone);
    }
    EXPECT_EQ(ended, (std::vector<bool>{false, true}));
  }
}

TEST_P(Traces, BelongToTheParentAfterAFork) {
  run(2, {"stream", "100", "fork"});
  ASSERT_TRUE(ended_well(2));
  EXPECT_EQ(trace().messages.size(), 100u);
  expect_all_calls();
}

TEST_P(Traces, OfFortran2008ShowTheSources) {
  if (!PLAIT_TEST_FORTRAN) GTEST_SKIP() << "no Fortran compiler";
  run(3, {"wildcards"});
  ASSERT_TRUE(ended_well(3));
  EXPECT_EQ(trace().messages.size(), 8u);
  for (const Operation& operation : rank(0).operations) {
    if (operation.kind != OperationKind::receive) continue;
    EXPECT_TRUE(operation.wildcard);
    EXPECT_EQ(operation.bytes, 4u * static_cast<unsigned>(operation.partner));
    EXPECT_NE(operation.ended, kNone);
    // The source in a blocking receive's own status.
    const Event& event = rank(0).streams[0].events[operation.started];
    if (trace().shape(event).kind == EventKind::receive) {
      EXPECT_EQ(event.bytes, operation.bytes);
    }
  }
}

TEST_P(Traces, OfSeveralHostsHaveOneClock) {
  const std::vector<std::string> allowed{"unshare", "--uts", "--time", "--fork", "true"};
  if (run_command(allowed, std::chrono::seconds(10)).exit_code != 0)
    GTEST_SKIP() << "this machine cannot create namespaces";
  const std::string program = std::string(PLAIT_TEST_PROGRAMS) + "/trace_stream_" + GetParam().kind;
  run_.run(GetParam(), 2, {PLAIT_TEST_TWO_HOSTS, program, "100"}, {"PLAIT_OPTIONS=trace"});
  ASSERT_TRUE(ended_well(2));
  EXPECT_EQ(trace().nodes.size(), 2u);
  EXPECT_GT(trace().clock_error_s, 0);
  EXPECT_LT(trace().clock_error_s, 10);  // the clocks differ by 1000 s
  const auto error_ns = static_cast<std::int64_t>(trace().clock_error_s * 1e9) + 1000;
  EXPECT_EQ(trace().messages.size(), 100u);
  for (const auto& message : trace().messages) {
    const Event& sent = trace().start(0, rank(0).operations[message.send]);
    const Event& received = trace().start(1, rank(1).operations[message.receive]);
    EXPECT_LE(sent.begin, received.end + error_ns);
    EXPECT_LE(received.end, sent.end + 20'000'000'000);  // not 1000 s
  }
  // Nobody waits for a rank that is not recorded.
  run_.run(GetParam(), 2, {PLAIT_TEST_TWO_HOSTS, "unrecorded", program, "100"},
           {"PLAIT_OPTIONS=trace"});
  EXPECT_EQ(run_.result.exit_code, 0) << run_.result.err;
  EXPECT_NE(run_.result.out.find("done"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Mpi, Traces, ::testing::ValuesIn(std::vector<Mpi>{PLAIT_TEST_MPIS}),
                         [](const auto& mpi) { return name_of(mpi.param); });

}  // namespace
}  // namespace plait::test
