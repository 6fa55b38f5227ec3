// SPDX-License-Identifier: BSD-3-Clause
// Tests that traces are read and analyzed with the same result by any number of threads.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "analysis/analysis.hpp"
#include "analysis/analysis_json.hpp"
#include "generated_trace.hpp"
#include "trace/trace.hpp"

namespace plait::analysis {
namespace {

class Threads : public testing::Test {
protected:
  Threads() {
    std::filesystem::remove_all(run_);
    events_ =
        generated::write_trace({.ranks = 12, .ranks_per_node = 4, .slow_rank = 5}, 20'000, run_);
  }
  ~Threads() override { std::filesystem::remove_all(run_); }

  std::filesystem::path run_ =
      std::filesystem::temp_directory_path() / ("plait-threads-" + std::to_string(::getpid()));
  std::uint64_t events_ = 0;
};

/// Everything that readers of a trace see, as numbers.
std::vector<std::int64_t> numbers_of(const trace::Trace& trace) {
  std::vector<std::int64_t> numbers;
  const auto add = [&](auto... values) {
    (numbers.push_back(static_cast<std::int64_t>(values)), ...);
  };
  for (const trace::Rank& rank : trace.ranks) {
    add(rank.begin, rank.end, rank.node, rank.streams.size());
    for (const trace::Stream& stream : rank.streams) {
      for (const trace::Event& event : stream.events) {
        add(event.begin, event.end, event.bytes, event.shape, event.first_operation,
            event.first_ended, event.operations, event.ended_count);
      }
    }
    for (const trace::Operation& of : rank.operations) {
      add(of.bytes, of.shape, of.started, of.ended, of.message, of.partner, of.tag);
    }
  }
  for (const trace::Message& of : trace.messages) add(of.sender, of.receiver, of.send, of.receive);
  for (const std::uint32_t member : trace.members) add(member);
  return numbers;
}

TEST_F(Threads, TheResultDoesNotDependOnThem) {
  const trace::Trace one = trace::read_trace(run_, 1);
  EXPECT_EQ(trace::event_count(one), events_);
  EXPECT_EQ(one.problems, std::vector<std::string>{});
  EXPECT_EQ(one.unmatched_sends + one.unmatched_receives, 0u);
  const std::vector<std::string> sites(one.sites.size(), "somewhere");
  const nlohmann::json alone = to_json(analyze(one, nullptr, {}, nullptr, 1), one, sites);
  EXPECT_FALSE(alone["causes"].empty());
  for (const unsigned threads : {2U, 5U}) {
    const trace::Trace several = trace::read_trace(run_, threads);
    EXPECT_EQ(numbers_of(several), numbers_of(one)) << threads;
    EXPECT_EQ(several.problems, one.problems);
    EXPECT_EQ(to_json(analyze(several, nullptr, {}, nullptr, threads), several, sites), alone)
        << threads;
  }
}

TEST_F(Threads, TheyDivideTheReplayOfManyRanks) {
  const std::filesystem::path many = run_ / "many";
  generated::write_trace({.ranks = 150, .ranks_per_node = 4, .slow_rank = 5}, 30'000, many);
  const trace::Trace trace = trace::read_trace(many);
  const std::vector<std::string> sites(trace.sites.size(), "somewhere");
  const Analysis alone = analyze(trace, nullptr, {}, nullptr, 1);
  EXPECT_GT(alone.ideal_s, 0);
  EXPECT_EQ(to_json(analyze(trace, nullptr, {}, nullptr, 8), trace, sites),
            to_json(alone, trace, sites));
}

TEST_F(Threads, TheSlowRankIsTheCause) {
  const trace::Trace trace = trace::read_trace(run_);
  const Analysis analysis = analyze(trace, nullptr);
  ASSERT_FALSE(analysis.causes.empty());
  EXPECT_EQ(analysis.causes.front().rank, 5);
}

}  // namespace
}  // namespace plait::analysis
