// SPDX-License-Identifier: BSD-3-Clause
// Tests traces of parts of a run: which events they have, and that messages across the borders of
// a part do not spoil the matching of those after it. On two ranks.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <regex>
#include <set>

#include "traced_run.hpp"

namespace plait::test {
namespace {

using trace::kNone;
using trace::Message;
using trace::Operation;
using trace::OperationKind;
using trace::Rank;

/// Empty: not set.
std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

class Parts : public ::testing::TestWithParam<Mpi> {
protected:
  TracedRun run_{"parts-" + GetParam().kind};

  /// @param part  variables that choose it
  void run(const std::string& which, std::vector<std::string> part) {
    part.emplace_back("PLAIT_OPTIONS=trace");
    const std::string own = variable("PLAIT_TEST_PARTS");
    std::vector<std::string> program{
        own.empty() ? std::string(PLAIT_TEST_PROGRAMS) + "/trace_parts_" + GetParam().kind : own};
    if (!which.empty()) program.push_back(which);
    run_.run(GetParam(), 2, program, part);
    ASSERT_EQ(run_.result.exit_code, 0) << run_.result.out << run_.result.err;
    const std::regex library(variable("PLAIT_TEST_LIBRARY"));
    for (const trace::RankRecord& record : run_.records) {
      EXPECT_TRUE(std::regex_search(record.library, library)) << record.library;
    }
  }

  [[nodiscard]] const trace::Trace& trace() const { return run_.trace; }

  /// The sizes of the messages that matched, from both ranks.
  [[nodiscard]] std::multiset<std::uint64_t> sizes() const {
    std::multiset<std::uint64_t> found;
    for (const Message& message : trace().messages) {
      const Operation& send = trace().ranks[message.sender].operations[message.send];
      found.insert(send.bytes);
      expect_its_own(trace().ranks[message.receiver], message.receive, send.bytes);
    }
    return found;
  }

  /// What a blocking receive got, or the size of the buffer of another one, is in the trace as
  /// well.
  static void expect_its_own(const Rank& receiver, std::uint32_t number, std::uint64_t sent) {
    const Operation& receive = receiver.operations[number];
    if (receive.ended == receive.started) {
      EXPECT_EQ(receive.capacity, sent);
    } else {
      EXPECT_GE(receive.capacity, sent);
    }
  }

  /// The sizes of the messages inside of the region in these steps.
  static std::multiset<std::uint64_t> inside(const std::vector<std::uint64_t>& steps) {
    std::multiset<std::uint64_t> all;
    for (const std::uint64_t step : steps)
      all.insert({20 + step, 20 + step, 8, 8, 400 + step, 500 + step, 700 + step});
    return all;
  }

  [[nodiscard]] bool noted(const std::string& text) const {
    const auto has = [&](const std::string& note) { return note.find(text) != std::string::npos; };
    return std::ranges::all_of(run_.records, [&](const trace::RankRecord& record) {
      return std::ranges::any_of(record.notes, has);
    });
  }

  /// All calls are in the profile, whatever is traced.
  void expect_whole_profile() const {
    for (const int rank : {0, 1}) {
      auto counted = run_.counted(rank);
      EXPECT_EQ(counted["MPI_Sendrecv"], 12u);
      EXPECT_EQ(counted["MPI_Allreduce"], 6u);
      EXPECT_EQ(counted["MPI_Bcast"], 6u);
    }
  }
};

TEST_P(Parts, OfARegionMatchWhatIsInsideAndCountWhatCrossesItsBorder) {
  run("", {"PLAIT_TRACE_REGION=step", "PLAIT_TRACE_ITERATIONS=3,5-9"});
  ASSERT_EQ(run_.error, "");
  EXPECT_EQ(sizes(), inside({3, 5, 6}));
  EXPECT_EQ(trace().untraced_receives, 3u);  // they were sent before the region
  EXPECT_EQ(trace().untraced_sends, 3u);     // they were received by earlier receives
  EXPECT_EQ(trace().unmatched_sends + trace().unmatched_receives, 0u);
  ASSERT_EQ(trace().collectives.size(), 3u);
  for (const trace::Collective& collective : trace().collectives) {
    EXPECT_EQ(trace().functions[trace().shapes[collective.shape].function], "MPI_Allreduce");
    for (const std::uint32_t member : {0u, 1u})
      EXPECT_NE(trace().members[collective.first_member + member], kNone);
  }
  // Of each step: a barrier, the reduction and a broadcast.
  EXPECT_EQ(trace().collectives[0].ordinal, 3u * 2 + 1);
  EXPECT_EQ(trace().collectives[2].ordinal, 3u * 5 + 1);
  for (const Rank& rank : trace().ranks) EXPECT_GE(rank.gaps.size(), 3u);
  EXPECT_TRUE(trace().problems.empty()) << trace().problems.front();
  expect_whole_profile();
}

TEST_P(Parts, MatchTheMessagesOfAllThreads) {
  run("threads", {"PLAIT_TRACE_REGION=step", "PLAIT_TRACE_ITERATIONS=3,5-9"});
  ASSERT_EQ(run_.result.out.find("no threads"), std::string::npos);
  ASSERT_EQ(run_.error, "");
  std::multiset<std::uint64_t> expected = inside({3, 5, 6});
  expected.insert({33, 35, 36});
  EXPECT_EQ(sizes(), expected);
  EXPECT_EQ(trace().unmatched_sends + trace().unmatched_receives, 0u);
  for (const Rank& rank : trace().ranks) EXPECT_GT(rank.streams.size(), 1u);
  expect_whole_profile();
}

TEST_P(Parts, AreCutFromTheClockOfAllRanks) {
  run("", {"PLAIT_TRACE_REGION=step", "PLAIT_TRACE_ITERATIONS=2-3"});
  ASSERT_EQ(run_.error, "");
  trace::Trace cut = trace();
  trace::cut_gaps(cut);
  ASSERT_EQ(cut.cuts.size(), 3u);
  const double whole = trace::recorded_seconds(trace()), rest = trace::recorded_seconds(cut);
  EXPECT_GT(rest, 0);
  EXPECT_NEAR(whole, rest + trace::cut_seconds(cut), 1e-8);
  for (const Rank& rank : cut.ranks) {
    std::int64_t last = rank.begin;
    for (const trace::Event& event : rank.streams[0].events) {
      EXPECT_LE(last, event.end);
      EXPECT_LE(event.begin, event.end);
      last = event.end;
    }
  }
}

TEST_P(Parts, FollowTheCallsOfAFunction) {
  run("", {"PLAIT_TRACE_REGION=MPI_Bcast", "PLAIT_TRACE_ITERATIONS=2-3"});
  ASSERT_EQ(run_.error, "");
  auto traced = run_.traced(0);
  EXPECT_EQ(traced["MPI_Bcast"], 2u);
  EXPECT_EQ(traced["MPI_Barrier"], 2u);
  EXPECT_EQ(traced["MPI_Sendrecv"], 4u);
  EXPECT_EQ(traced["MPI_Finalize"], 1u);
  EXPECT_EQ(trace().unmatched_sends + trace().unmatched_receives, 0u);
  expect_whole_profile();
}

TEST_P(Parts, BeginAndEndWithASignal) {
  run("signal", {"PLAIT_TRACE_SIGNAL=" + std::to_string(SIGUSR2)});
  ASSERT_EQ(run_.error, "");
  auto traced = run_.traced(0);
  EXPECT_EQ(traced["MPI_Allreduce"], 2u);
  EXPECT_EQ(traced["MPI_Sendrecv"], 3u);  // the first call after the signal is left out
  std::multiset<std::uint64_t> found = sizes();
  EXPECT_TRUE(found.contains(504));
  EXPECT_FALSE(found.contains(505));
  EXPECT_EQ(trace().unmatched_sends + trace().unmatched_receives, 0u);
  expect_whole_profile();
}

TEST_P(Parts, EndAndBeginWithAPauseOfTheProgram) {
  run("pause", {});
  ASSERT_EQ(run_.error, "");
  auto traced = run_.traced(0);
  EXPECT_EQ(traced["MPI_Allreduce"], 4u);
  std::multiset<std::uint64_t> found = sizes();
  for (const std::uint64_t step : {1u, 2u, 5u, 6u}) EXPECT_TRUE(found.contains(500 + step));
  for (const std::uint64_t step : {3u, 4u}) EXPECT_FALSE(found.contains(500 + step));
  EXPECT_EQ(trace().unmatched_sends + trace().unmatched_receives, 0u);
  EXPECT_EQ(run_.counted(0)["MPI_Allreduce"], 4u);
}

TEST_P(Parts, LeaveTheSignalToAProgramThatHandlesIt) {
  for (const char* when : {"early", "late"}) {
    run(when, {"PLAIT_TRACE_SIGNAL=" + std::to_string(SIGUSR2)});
    EXPECT_NE(run_.result.out.find("handled 1"), std::string::npos) << when;
    EXPECT_NE(run_.error.find("no rank recorded events in the part"), std::string::npos)
        << run_.error;
    EXPECT_TRUE(noted("the program handles the signal of --trace-signal itself")) << when;
  }
}

TEST_P(Parts, ThatDoNotOccurAreReported) {
  run("", {"PLAIT_TRACE_REGION=stop"});
  EXPECT_NE(run_.error.find("no rank recorded events in the part"), std::string::npos)
      << run_.error;
  EXPECT_TRUE(noted("--trace-region stop: the program never entered a region of this name"));
  expect_whole_profile();
}

/// Those that CMake found, or a further MPI of one of their kinds: PLAIT_TEST_KIND, with the
/// launcher PLAIT_TEST_LAUNCHER, the program PLAIT_TEST_PARTS, and a library whose version contains
/// PLAIT_TEST_LIBRARY, a regular expression.
std::vector<Mpi> mpis() {
  std::vector<Mpi> all{PLAIT_TEST_MPIS};
  const std::string kind = variable("PLAIT_TEST_KIND");
  if (kind.empty()) return all;
  std::erase_if(all, [&](const Mpi& mpi) { return mpi.kind != kind; });
  for (Mpi& mpi : all) mpi.launcher = variable("PLAIT_TEST_LAUNCHER");
  return all;
}

INSTANTIATE_TEST_SUITE_P(Mpi, Parts, ::testing::ValuesIn(mpis()),
                         [](const auto& mpi) { return name_of(mpi.param); });

}  // namespace
}  // namespace plait::test
