// SPDX-License-Identifier: BSD-3-Clause
// The figures of the thesis as text: verdicts first, then a table for each series.
#include "measure/figure_lines.hpp"

#include <gtest/gtest.h>

namespace plait::measure {
namespace {

machine::Statistic figure(double us) {
  return {us, us, us * 0.99, us * 1.01, 9, {}};
}

std::string text_of(const machine::Measured& measured, PlanFigure which) {
  std::string text;
  for (const std::string& line : figure_lines(measured, which)) {
    EXPECT_LE(line.size(), 80U) << line;
    text += line + "\n";
  }
  return text;
}

TEST(FigureLines, overlap_has_the_total_beside_the_sum_for_each_amount_of_work) {
  machine::Measured measured;
  for (const double work_us : {0.0, 25e3, 50e3}) {
    machine::OverlapPoint point{"network", "irecv", "rendezvous",           80'000'000, "memory",
                                work_us,   50e3,    figure(50e3 + work_us), ""};
    point.threads = 4;
    measured.overlap.push_back(point);
  }
  machine::OverlapVerdict verdict;
  verdict.sentence = "this MPI does not move long messages";
  measured.overlap_verdicts = {verdict};
  const std::string text = text_of(measured, PlanFigure::overlap);
  EXPECT_EQ(text.find("- this MPI does not move long messages\n"), 0U) << text;
  EXPECT_NE(
      text.find("MPI_Irecv of 76.3 MiB between nodes (rendezvous), memory work by 4 threads:\n"
                "50.0 ms alone\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("25.0 ms  75.0 ms (74.2-75.8)  75.0 ms"), std::string::npos) << text;
}

TEST(FigureLines, mixed_messages_are_by_condition) {
  machine::Measured measured;
  for (const char* rank0 : {"both", "none"}) {
    machine::MixedPoint point{1,           "eager",     80'000'000, 80'000,
                              figure(2e4), figure(1e3), figure(2e4)};
    point.rank0 = rank0;
    point.across_sockets = true;
    measured.mixed.push_back(point);
  }
  const std::string text = text_of(measured, PlanFigure::mixed);
  EXPECT_EQ(text.find("Nothing was measured."), 0U);
  EXPECT_NE(text.find("1 sender, rank 0: none; 76.3 MiB inside the node, across sockets: 20.0 ms"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace plait::measure
