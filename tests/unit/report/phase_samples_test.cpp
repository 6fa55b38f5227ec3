// SPDX-License-Identifier: BSD-3-Clause
// Samples by phase: counts in samples.json, and the hottest function of each phase.
#include "report/phase_samples.hpp"

#include <gtest/gtest.h>

#include "analysis/analysis.hpp"
#include "analysis/analysis_json.hpp"
#include "base/json_file.hpp"
#include "made_trace.hpp"
#include "schema_check.hpp"

namespace plait::report {
namespace {

using nlohmann::json;
using samples::State;

/// Input, ten steps with a reduction, output.
trace::Trace with_iterations() {
  trace::MadeTrace made(2);
  const auto all = [&](const char* site, const char* function, double seconds) {
    made.from(site);
    for (int rank = 0; rank < 2; ++rank) {
      made.compute(rank, seconds);
      made.collective(rank, function, 8, 0.001);
    }
  };
  all("input", "MPI_Bcast", 1);
  for (int step = 0; step < 10; ++step) all("step", "MPI_Allreduce", 0.5);
  all("output", "MPI_Gather", 1);
  return made.take();
}

json analysis_of(const trace::Trace& trace) {
  return analysis::to_json(analysis::analyze(trace, nullptr), trace,
                           std::vector<std::string>(trace.sites.size(), "f (a.c:1)"));
}

constexpr std::int64_t kSecond = 1'000'000'000;

/// Samples in read() during the input, and in step() and MPI during the steps.
samples::TracedSamples sampled() {
  samples::TracedSamples of;
  of.tree.rate_hz = 100;
  of.tree.threads = {{0, 0, "main", 4, 0, 0, 1}, {1, 0, "main", 3, 0, 0, 1}};
  of.tree.functions = {{"read()", "read", "/src/input.cpp", 3, "/bin/app", "code"},
                       {"step()", "step", "/src/step.cpp", 8, "/bin/app", "code"}};
  of.tree.nodes = {{-1, 0, 5, false}, {-1, 1, 12, false}};
  of.tree.counts = {{0, 0, State::code, 1}, {1, 0, State::code, 3}, {1, 1, State::mpi, 3}};
  of.lanes = {{0, 0, 0, 1000, {{kSecond / 2, 0, State::code, 1}, {3 * kSecond, 1, State::code, 3}}},
              {1, 0, 1, 1001, {{4 * kSecond, 1, State::mpi, 3}}}};
  return of;
}

TEST(PhaseSamples, AreCountedAndTheHottestFunctionOfEachPhaseIsNamed) {
  const trace::Trace trace = with_iterations();
  json analysis = analysis_of(trace);
  samples::TracedSamples samples = sampled();
  const std::size_t phases = analysis["phases"].size();
  ASSERT_GE(phases, 3);
  EXPECT_EQ(analysis["phases"][1]["name"], "iterations 1");
  EXPECT_TRUE(add_phase_samples(samples, 0, analysis));
  ASSERT_EQ(samples.tree.phases.size(), phases);
  const std::vector<samples::PhaseCount> counts{
      {0, 0, State::code, 0, 1}, {1, 0, State::code, 1, 3}, {1, 1, State::mpi, 1, 3}};
  EXPECT_EQ(samples.tree.phase_counts, counts);
  EXPECT_EQ(analysis["phases"][0]["hottest"]["function"], "read");
  const json hottest = analysis["phases"][1]["hottest"];
  EXPECT_EQ(hottest["function"], "step");
  EXPECT_EQ(hottest["line"], 12);
  EXPECT_EQ(hottest["share"], 1.0);
  EXPECT_LT(hottest["low"], 1.0);
  EXPECT_DOUBLE_EQ(hottest["time_s"], 0.03);
  EXPECT_TRUE(analysis["phases"].back()["hottest"].is_null());
  EXPECT_EQ(schema_violations(json::parse(read_text_file(std::filesystem::path(PLAIT_SCHEMAS) /
                                                         "analysis-1.schema.json")),
                              analysis),
            std::vector<std::string>{});
  EXPECT_EQ(schema_violations(json::parse(read_text_file(std::filesystem::path(PLAIT_SCHEMAS) /
                                                         "samples-1.schema.json")),
                              samples::to_json(samples.tree)),
            std::vector<std::string>{});
  // The second time there is nothing to write.
  EXPECT_FALSE(add_phase_samples(samples, 0, analysis));
}

TEST(PhaseSamples, PhasesWithoutTheirFieldsAreRefused) {
  json analysis;
  analysis["phases"] = json::array({json{{"name", "x"}, {"begin_s", 1}}});
  EXPECT_THROW(sampled_phases(analysis), json::exception);
  EXPECT_THROW(sampled_phases(json::object()), json::exception);
}

}  // namespace
}  // namespace plait::report
