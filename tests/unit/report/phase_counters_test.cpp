// SPDX-License-Identifier: BSD-3-Clause
// Counters by phase: in analysis.json, and on the terminal.
#include "report/phase_counters.hpp"

#include <gtest/gtest.h>

#include "analysis/analysis.hpp"
#include "analysis/analysis_json.hpp"
#include "base/json_file.hpp"
#include "made_trace.hpp"
#include "report/phase_counter_lines.hpp"
#include "schema_check.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

/// Input for 1 s, ten steps of 0.5 s, output for 1 s, each with a call.
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

/// A rank whose counters were read when the input ended, in the middle of the steps, when these
/// ended, and at the end: 100 faults in the input, 4000 per rank number in the steps.
trace::RankRecord record_of(int rank) {
  trace::RankRecord record;
  record.world_rank = rank;
  record.world_size = 2;
  record.host = "n" + std::to_string(rank);
  record.counters = {{"page-faults", 1, 2, 1}, {"instructions", 0, 1, 1}, {"cycles", 0, 0, 1}};
  const double steps = 4000 * (rank + 1);
  struct {
    double at_s, faults, in_mpi;
  } const readings[] = {{0, 0, 0},
                        {1.001, 100, 0},
                        {3.5, 100 + steps / 2, 10},
                        {6.011, 100 + steps, 20},
                        {7.012, 100 + steps, 20}};
  for (const auto& [at_s, faults, in_mpi] : readings) {
    const auto first = static_cast<std::uint32_t>(record.counter_totals.size());
    // The instructions counted half of the time.
    for (const double count : {faults, 1e9 * at_s, 1e9 * at_s, in_mpi, 0.0, 0.0}) {
      const bool half = (record.counter_totals.size() - first) % 3 == 1;
      record.counter_totals.push_back({count, at_s, half ? at_s / 2 : at_s});
    }
    // A made trace has a tick per nanosecond.
    record.counter_readings.push_back({static_cast<std::uint64_t>(at_s * 1e9), 0, first, at_s, 0});
  }
  return record;
}

class PhaseCounters : public ::testing::Test {
protected:
  PhaseCounters() : trace_(with_iterations()) {
    analysis_ = analysis::to_json(analysis::analyze(trace_, nullptr), trace_,
                                  std::vector<std::string>(trace_.sites.size(), "f (a.c:1)"));
    for (int rank = 0; rank < 2; ++rank) records_.push_back(record_of(rank));
  }
  void add() {
    Job job;
    job.world_size = 2;
    for (const trace::RankRecord& record : records_) job.ranks.push_back(&record);
    add_phase_counters(job, trace_, nullptr, analysis_);
  }
  const json& phase(const std::string& name) {
    for (const json& one : analysis_.at("phases")) {
      if (one.at("name") == name) return one;
    }
    throw std::runtime_error("no phase " + name);
  }

  trace::Trace trace_;
  json analysis_;
  std::vector<trace::RankRecord> records_;
};

TEST_F(PhaseCounters, CountsOfEachPhaseAreThoseBetweenItsBorders) {
  add();
  const json& steps = phase("iterations 1").at("counters");
  EXPECT_EQ(steps["events"], json({"page-faults", "instructions", "cycles"}));
  EXPECT_NEAR(steps["outside"][0].get<double>(), 12000, 60);
  EXPECT_NEAR(steps["inside"][0].get<double>(), 40, 1);
  EXPECT_NEAR(steps["ranks"][0]["outside"][0].get<double>(), 4000, 20);
  EXPECT_NEAR(steps["ranks"][1]["outside"][0].get<double>(), 8000, 40);
  EXPECT_NEAR(phase("before").at("counters")["outside"][0].get<double>(), 200, 60);
  EXPECT_NEAR(phase("after").at("counters")["outside"][0].get<double>(), 0, 1);
  EXPECT_EQ(schema_violations(json::parse(read_text_file(std::filesystem::path(PLAIT_SCHEMAS) /
                                                         "analysis-1.schema.json")),
                              analysis_),
            std::vector<std::string>{});
}

TEST_F(PhaseCounters, TheyAreCorrectedForMultiplexingAndHaveFigures) {
  add();
  const json& steps = phase("iterations 1").at("counters");
  EXPECT_NEAR(steps["outside"][1].get<double>(), 2 * steps["outside"][2].get<double>(), 1e6);
  ASSERT_GE(steps["derived"].size(), 1U);
  EXPECT_EQ(steps["derived"][0]["id"], "instructions_per_cycle");
  EXPECT_NEAR(steps["derived"][0]["value"].get<double>(), 2, 1e-3);
}

TEST_F(PhaseCounters, TheTerminalHasARowForEachPhase) {
  add();
  const Lines lines = phase_counter_lines(analysis_.at("phases"), 6, {});
  ASSERT_GE(lines.size(), 6U);
  EXPECT_TRUE(lines[1].starts_with("events by phase")) << lines[1];
  EXPECT_NE(lines[1].find("page-faults"), std::string::npos) << lines[1];
  EXPECT_TRUE(lines[3].starts_with("iterations 1")) << lines[3];
  EXPECT_NE(lines.back().find("in iterations 1: instructions per cycle"), std::string::npos)
      << lines.back();
  EXPECT_EQ(phase_counter_lines(analysis_.at("phases"), 1, {}).size(), 4U);
}

TEST_F(PhaseCounters, WithoutReadingsThereAreNone) {
  for (trace::RankRecord& record : records_) record.counter_readings.clear();
  add();
  EXPECT_FALSE(phase("iterations 1").contains("counters"));
  EXPECT_TRUE(phase_counter_lines(analysis_.at("phases"), 6, {}).empty());
}

}  // namespace
}  // namespace plait::report
