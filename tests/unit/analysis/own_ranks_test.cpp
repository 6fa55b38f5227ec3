// SPDX-License-Identifier: BSD-3-Clause
// Tests that processes that share an analysis need the data of their own ranks only.
#include "own_ranks.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "../job_of_threads.hpp"
#include "analysis/analysis.hpp"
#include "analysis/phases.hpp"
#include "analysis/pop.hpp"
#include "random_run.hpp"

namespace plait::analysis {
namespace {

/// Phases, efficiencies and sums of waiting as text.
std::string summary_of(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                       unsigned threads, Processes* processes) {
  Analysis analysis;
  analysis.time_s = to_seconds(lanes.end - lanes.begin);
  analysis.phases = find_phases(trace, lanes, waits, threads, processes);
  const std::vector<RankUse> ranks = rank_use(trace, lanes, waits, threads, processes);
  analysis.efficiencies.push_back(multiplicative(ranks, analysis.time_s, ideal_by_waits(ranks)));
  analysis.waits = sum_waits(trace, lanes, waits, threads, processes);
  analysis.waiting_s = waiting_by_rank(lanes, waits, threads, processes);
  std::string text = test::text_of(analysis, trace);
  for (const RankUse& rank : ranks) {
    for (const double seconds : {rank.useful_s, rank.waiting_s, rank.serial_s, rank.stalled_s}) {
      text += std::to_string(seconds) + " ";
    }
    for (const double seconds : rank.threads_s) text += std::to_string(seconds) + " ";
  }
  return text;
}

/// Checks that any number of processes and threads finds the same.
void expect_equal_summaries(const trace::Trace& trace) {
  const test::Prepared all(trace);
  const std::string alone = summary_of(all.trace, all.lanes, all.waits, 1, nullptr);
  EXPECT_EQ(alone, summary_of(all.trace, all.lanes, all.waits, 3, nullptr));
  for (const int size : {2, 3, 5}) {
    std::vector<std::string> shared(static_cast<std::size_t>(size));
    plait::test::JobOfThreads(size).run([&](Processes& processes) {
      const test::OwnRanks own(trace, processes);
      shared[static_cast<std::size_t>(processes.rank())] =
          summary_of(own.trace, own.lanes, own.waits, 2, &processes);
    });
    EXPECT_EQ(shared, std::vector(shared.size(), alone)) << size << " processes";
  }
}

TEST(OwnRanks, SufficeForPhasesEfficienciesAndSumsOfWaiting) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) expect_equal_summaries(test::random_run(seed));
}

/// A loop with OpenMP regions; ranks that make no calls in it.
TEST(OwnRanks, SufficeForOpenMpAndFewRanks) {
  trace::MadeTrace made(6);
  for (int step = 0; step < 20; ++step) {
    for (int rank = 0; rank < 5; ++rank) {
      for (const std::uint32_t thread : {0U, 1U}) {
        made.on_thread(rank, thread);
        const double begin = made.now(rank);
        made.compute(rank, 1e-3 * (rank + 1 + thread));
        made.openmp(rank, trace::EventKind::work, begin);
        if (thread == 0) made.openmp(rank, trace::EventKind::parallel, begin);
        made.compute(rank, 0.02 * (step + 1) - made.now(rank));
      }
      made.on_thread(rank, 0);
      made.send_receive(rank, (rank + 1) % 5, 100, (rank + 4) % 5, 100, 1e-4 * rank);
    }
  }
  expect_equal_summaries(made.take());
}

}  // namespace
}  // namespace plait::analysis
