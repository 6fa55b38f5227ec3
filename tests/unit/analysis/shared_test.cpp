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

TEST(SharedAnalysis, GivesTheSameBytes) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Trace trace = test::random_run(seed);
    const std::string alone = test::text_of(analyze(trace, nullptr), trace);
    for (const int size : {2, 3, 5}) {
      std::string shared;
      plait::test::JobOfThreads(size).run([&](Processes& processes) {
        Trace of_process = trace;
        share_ranks(of_process, processes);
        const Analysis analysis = analyze(of_process, nullptr, {}, nullptr, 2, &processes);
        if (processes.rank() == 0) shared = test::text_of(analysis, of_process);
      });
      EXPECT_EQ(alone, shared) << "seed " << seed << ", " << size << " processes";
    }
  }
}

TEST(SharedAnalysis, OfPartsGivesTheSameBytes) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Trace trace = test::random_run(seed);
    const std::string alone = test::text_of(analyze(trace, nullptr), trace);
    for (const int size : {2, 3, 5}) {
      std::string shared;
      plait::test::JobOfThreads(size).run([&](Processes& processes) {
        const Trace part = trace::part_of(trace, processes);
        const Analysis analysis = analyze(part, nullptr, {}, nullptr, 2, &processes);
        if (processes.rank() == 0) shared = test::text_of(analysis, part);
      });
      EXPECT_EQ(alone, shared) << "seed " << seed << ", " << size << " processes";
    }
  }
}

}  // namespace
}  // namespace plait::analysis
