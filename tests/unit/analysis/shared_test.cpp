// SPDX-License-Identifier: BSD-3-Clause
// Tests of analyses that several processes share: the same bytes as of one.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "../job_of_threads.hpp"
#include "../trace_part.hpp"
#include "analysis/analysis.hpp"
#include "random_run.hpp"

namespace plait::analysis {
namespace {

using trace::Trace;

#ifdef PLAIT_SANITIZED
constexpr std::uint64_t kSeeds = 1;
#else
constexpr std::uint64_t kSeeds = 3;
#endif

/// Compares analyses that several processes share with those of one.
/// @param of_process  of_process(trace, processes): what a process has of the trace
template <class OfProcess>
void expect_the_same_bytes(OfProcess of_process) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Trace trace = test::random_run(seed);
    const std::string alone = test::text_of(analyze(trace, nullptr), trace);
    for (const int size : {2, 3, 5}) {
      std::string shared;
      plait::test::JobOfThreads(size).run([&](Processes& processes) {
        const Trace own = of_process(trace, processes);
        const Analysis analysis = analyze(own, nullptr, {}, nullptr, 2, &processes);
        if (processes.rank() == 0) shared = test::text_of(analysis, own);
      });
      EXPECT_EQ(alone, shared) << "seed " << seed << ", " << size << " processes";
    }
  }
}

TEST(SharedAnalysis, OfTheWholeTraceGivesTheSameBytes) {
  expect_the_same_bytes([](const Trace& trace, Processes& processes) {
    Trace whole = trace;
    share_ranks(whole, processes);
    return whole;
  });
}

TEST(SharedAnalysis, OfPartsGivesTheSameBytes) {
  expect_the_same_bytes(
      [](const Trace& trace, Processes& processes) { return trace::part_of(trace, processes); });
}

}  // namespace
}  // namespace plait::analysis
