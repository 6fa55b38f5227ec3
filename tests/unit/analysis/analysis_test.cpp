// SPDX-License-Identifier: BSD-3-Clause
// Tests of a complete analysis, its notes, and its JSON against the schema.
#include "analysis/analysis.hpp"

#include <gtest/gtest.h>

#include <random>

#include "analysis/analysis_json.hpp"
#include "base/json.hpp"
#include "base/json_file.hpp"
#include "programs.hpp"
#include "report/schema_check.hpp"

namespace plait::analysis {
namespace {

using test::all_ranks;
using test::together;
using trace::MadeTrace;

trace::Trace two_steps(double network_s) {
  MadeTrace made(4);
  for (int step = 0; step < 2; ++step) {
    for (const int rank : all_ranks(4)) {
      test::compute_in(made, rank, "solve", rank == 2 ? 0.3 : 0.2);
      made.from("exchange");
      made.send_receive(rank, (rank + 1) % 4, 1 << 16, (rank + 3) % 4, 1 << 16, 0);
    }
    made.from("dot");
    together(made, all_ranks(4), "MPI_Allreduce", 8, network_s);
  }
  return made.take();
}

const RootCause* cause_of(const Analysis& analysis, const std::string& kind) {
  for (const RootCause& cause : analysis.causes) {
    if (cause.kind == kind) return &cause;
  }
  return nullptr;
}

TEST(Analysis, ASlowNetworkIsTransferByReplay) {
  MadeTrace made(4);
  for (int step = 0; step < 5; ++step) {
    for (const int rank : all_ranks(4)) made.compute(rank, 0.1);
    made.from("exchange");
    for (const int rank : all_ranks(4)) {
      made.send_receive(rank, rank ^ 1, 1 << 16, rank ^ 1, 1 << 16, 0.2);
    }
  }
  const trace::Trace trace = made.take();
  const Analysis analysis = analyze(trace, nullptr);
  EXPECT_NEAR(analysis.ideal_s, 0.5, 1e-6);
  ASSERT_FALSE(analysis.causes.empty());
  EXPECT_EQ(analysis.causes[0].kind, "transfer");
  EXPECT_NEAR(analysis.causes[0].seconds, 4 * 5 * 0.2, 1e-6);
  EXPECT_EQ(test::site_name(trace, analysis.causes[0].before_site), "exchange");
}

TEST(Analysis, TransferAndComputationAreSeparateCauses) {
  const Analysis analysis = analyze(two_steps(0.1), nullptr);
  const RootCause* transfer = cause_of(analysis, "transfer");
  const RootCause* computation = cause_of(analysis, "computation");
  ASSERT_TRUE(transfer != nullptr && computation != nullptr);
  EXPECT_NEAR(transfer->seconds, 4 * 2 * 0.1, 1e-6);
  EXPECT_EQ(computation->rank, 2);
  EXPECT_EQ(analysis.efficiencies.size(), 4U) << "two definitions, by replay and by wait states";
}

TEST(Analysis, ItsJsonFitsTheSchema) {
  const trace::Trace trace = two_steps(0.01);
  const auto value = to_json(analyze(trace, nullptr), trace, {"main (a.c:1)"});
  const auto schema =
      nlohmann::json::parse(read_text_file(std::string(PLAIT_SCHEMAS) + "/analysis-1.schema.json"));
  for (const std::string& violation : report::schema_violations(schema, value)) {
    ADD_FAILURE() << violation;
  }
  EXPECT_EQ(value.at("causes").at(0).at("region"), "solve");
  EXPECT_EQ(value.at("schema_version"), kAnalysisVersion);
}

TEST(Analysis, AnEmptyTraceIsNotAnError) {
  const trace::Trace trace;
  const auto value = to_json(analyze(trace, nullptr), trace, {});
  EXPECT_TRUE(value.at("causes").empty());
}

TEST(Analysis, DisagreeingClocksAndLostEventsCauseNeitherACrashNorAnEndlessLoop) {
  std::mt19937 random(7);
  const auto up_to = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(most + 1));
  };
  for (int round = 0; round < 100; ++round) {
    trace::Trace trace = two_steps(round % 2 == 0 ? 0.0 : 0.01);
    for (trace::Rank& rank : trace.ranks) {
      const std::int64_t shift = up_to(200'000'000) - 100'000'000;
      rank.begin += shift;
      rank.end += shift;
      for (trace::Event& event : rank.streams[0].events) {
        event.begin += shift;
        event.end += shift;
      }
      rank.complete = up_to(3) != 0;
    }
    for (std::uint32_t& member : trace.members) {
      if (up_to(9) == 0) member = trace::kNone;
    }
    const Analysis analysis = analyze(trace, nullptr);
    EXPECT_GE(analysis.time_s, 0);
    EXPECT_LE(analysis.critical_path.seconds, analysis.time_s * 1.0001);
    for (const RootCause& cause : analysis.causes) EXPECT_GE(cause.seconds, 0);
  }
}

TEST(Analysis, MissingPartsOfTheTraceAreNoted) {
  trace::Trace trace = two_steps(0.01);
  trace.ranks[1].complete = false;
  trace.ranks[0].lost_events = 5;
  trace.clock_error_s = 3e-6;
  const Analysis analysis = analyze(trace, nullptr);
  ASSERT_GE(analysis.notes.size(), 3U);
  EXPECT_NE(analysis.notes[0].find("5 events"), std::string::npos);
  EXPECT_NE(analysis.notes[1].find("1 of 4 ranks"), std::string::npos);
  EXPECT_NE(analysis.notes[2].find("3.00 us"), std::string::npos);
}

}  // namespace
}  // namespace plait::analysis
