// SPDX-License-Identifier: BSD-3-Clause
// Tests of the export for Dimemas, and of its worked example's efficiencies in Plait's analysis.
#include <gtest/gtest.h>

#include "analysis/pop.hpp"
#include "example_traces.hpp"
#include "export/export.hpp"
#include "plait/error.hpp"
#include "replay/replay.hpp"
#include "temporary_folder.hpp"

namespace plait::exports {
namespace {

TEST(DimemasExport, MatchesTheWorkedExampleLineByLine) {
  const trace::Trace trace = worked_example();
  const TemporaryFolder folder;
  write_dimemas({trace, {}, folder.path() / "trace.dim", false, 0, {}});
  EXPECT_EQ(text_of(folder.path() / "trace.dim"),
            "#DIMEMAS:\"plait\":0:2(1,1),1\n"
            "d:1:1:2:0:1\n"
            "1:0:0:1.000000000\n"
            "2:0:0:1:-1:1000000:0:1:0\n"
            "1:0:0:0.500000000\n"
            "10:0:0:11:1:1:0:8:8:1\n"
            "1:1:0:0.200000000\n"
            "3:1:0:0:-1:1000000:0:1:0\n"
            "1:1:0:1.000000000\n"
            "10:1:0:11:1:0:0:8:8:1\n");
}

TEST(DimemasExport, WorkedExampleHasTheEfficienciesThatDimemasFinds) {
  // According to Dimemas: 2.000984 s at 10 us and 1 GB/s, 2 s on the ideal network.
  const trace::Trace trace = worked_example();
  const auto program = replay::program_of(trace);
  const double ideal_s = replay::replay(*program, replay::ideal_network()).time_s;
  std::vector<analysis::RankUse> ranks(2);
  ranks[0].useful_s = 1.5;
  ranks[1].useful_s = 1.2;
  const double time_s = static_cast<double>(trace.ranks[0].end) * 1e-9;
  EXPECT_NEAR(time_s, 2.000984, 1e-9);
  const analysis::PopSet pop = analysis::multiplicative(ranks, time_s, ideal_s);
  EXPECT_NEAR(pop.load_balance.value(), 0.90, 1e-9);
  EXPECT_NEAR(pop.serialization.value(), 0.75, 1e-9);
  EXPECT_NEAR(pop.transfer.value(), 0.9995, 5e-5);
}

TEST(DimemasExport, WritesWaitsForReceivesAndCommunicatorsOfHalves) {
  const trace::Trace trace = all_kinds();
  const TemporaryFolder folder;
  write_dimemas({trace, {}, folder.path() / "trace.dim", false, 0, {}});
  const std::string text = text_of(folder.path() / "trace.dim");
  EXPECT_NE(text.find("4(1,1,1,1),2\nd:1:1:4:0:1:2:3\nd:1:2:2:1:3\n"), std::string::npos);
  const auto count = [&](const std::string& line_part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(line_part); at != std::string::npos;
         at = text.find(line_part, at + 1)) {
      ++found;
    }
    return found;
  };
  EXPECT_EQ(count("\n10:1:"), 13U);  // collectives of rank 1: 11 of all ranks, 2 of half of them
  EXPECT_EQ(count("\n2:0:0:1:-1:100000:"), 1U);
  EXPECT_EQ(count("\n3:2:0:1:-1:100000:"), 2U);  // the receive from any source, and its wait
}

TEST(DimemasExport, ReplacesFilesOnlyOnRequest) {
  const trace::Trace trace = worked_example();
  const TemporaryFolder folder;
  Request request{trace, {}, folder.path() / "trace.dim", false, 0, {}};
  write_dimemas(request);
  EXPECT_THROW(write_dimemas(request), Error);
  request.replace = true;
  EXPECT_NO_THROW(write_dimemas(request));
}

}  // namespace
}  // namespace plait::exports
