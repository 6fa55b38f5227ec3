// SPDX-License-Identifier: BSD-3-Clause
// Verdict and table of a measurement, from figures invented for the test.
#include "measure/summary.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace plait::measure {
namespace {

machine::Statistic figure(double median) {
  machine::Statistic value;
  value.min = value.ci_low = median * 0.95;
  value.median = median;
  value.ci_high = median * 1.05;
  value.n = 10;
  return value;
}

machine::MachineFile example(bool with_mpi) {
  machine::MachineFile file;
  file.host = "n0";
  machine::Measured measured;
  measured.stream = {{"triad", false, 1, 1 << 27, figure(30)},
                     {"triad", true, 1, 1 << 27, figure(42)},
                     {"triad", true, 2, 1 << 27, figure(53)}};
  measured.jacobi = {{1, {208, 208, 208}, true, figure(1371)},
                     {2, {208, 208, 208}, true, figure(2421)}};
  machine::Path path;
  path.id = "l3";
  path.name = "shared L3";
  path.pairs = {{0, 1}};
  path.pairs_total = 3;
  path.bare_line_us = figure(0.05);
  path.bare_memcpy = {{0, figure(0.05), 0}, {65536, figure(4), 16.4}};
  if (with_mpi) {
    path.mpi_pingpong = {{0, figure(0.25), 0}, {65536, figure(8), 8.2}};
  }
  measured.paths = {path};
  file.measured = measured;
  return file;
}

TEST(Summary, the_verdict_compares_messages_with_their_bounds) {
  EXPECT_EQ(verdict(example(true)),
            "n0: 2 cores stream 53.0 GB/s from memory (STREAM triad);\n"
            "an MPI message (shared L3) takes 250 ns, 5.00 times as long as a cache line,\n"
            "and reaches 8.20 GB/s, 50 % of a memory copy.");
  EXPECT_EQ(verdict(example(false)), "n0: 2 cores stream 53.0 GB/s from memory (STREAM triad).");
  EXPECT_EQ(verdict({}), "Nothing was measured.");
  machine::MachineFile unusable = example(false);
  for (machine::StreamResult& result : unusable.measured->stream) result.gbs.unusable = "slow";
  EXPECT_EQ(verdict(unusable), "n0: no figure of all cores or of MPI messages is usable.");
}

TEST(Summary, the_table_has_bounds_intervals_and_units_in_80_columns) {
  const std::string expected =
      "  path            message  MPI (95 % interval)      bound                MPI is\n"
      "  shared L3           0 B  250 ns (237-262)         50.0 ns line         5.00 x\n"
      "    1 of 3 pairs   64 KiB  8.20 GB/s (7.80-8.62)    16.4 GB/s copy         50 %\n"
      "  STREAM triad     1 core  42.0 GB/s (39.9-44.1)    non-temporal stores\n"
      "  STREAM triad    2 cores  53.0 GB/s (50.3-55.7)    non-temporal stores\n"
      "  Jacobi P(k)      1 core  1371 MLUP/s (1302-1440)  non-temporal stores\n"
      "  Jacobi P(k)     2 cores  2421 MLUP/s (2300-2542)  non-temporal stores\n";
  EXPECT_EQ(summary_table(example(true)), expected);
  std::istringstream lines(summary_table(example(true)));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U);
}

TEST(Summary, one_sample_has_no_interval) {
  machine::MachineFile file = example(true);
  file.measured->jacobi[0].mlups.n = 1;
  EXPECT_NE(summary_table(file).find(" 1371 MLUP/s (one sample) "), std::string::npos);
}

TEST(Summary, unusable_figures_are_left_out) {
  machine::MachineFile file = example(true);
  file.measured->paths[0].bare_line_us = figure(1491);
  file.measured->paths[0].bare_line_us->unusable = "too slow";
  file.measured->jacobi[1].mlups.unusable = "too slow";
  const std::string table = summary_table(file);
  EXPECT_NE(table.find("0 B  250 ns (237-262)         -"), std::string::npos) << table;
  EXPECT_EQ(table.find("2421"), std::string::npos) << table;
  EXPECT_EQ(verdict(file).find("cache line"), std::string::npos) << verdict(file);
}

TEST(Summary, remarks_name_anomalies_and_the_variability_of_measurements) {
  machine::MachineFile file = example(true);
  EXPECT_TRUE(remarks(file).empty());
  file.measured->anomalies = {"a takes longer than b"};
  machine::MixedVerdict mixed;
  mixed.sentence = "messages overlap";
  file.measured->mixed_verdicts = {mixed, mixed};
  file.measured->mixed_verdicts[1].undecided = true;
  file.measured->runs = 2;
  file.measured->jacobi[1].mlups.runs = {{2000, 2000, 2000, 9, false},
                                         {2421, 2421, 2421, 9, false}};
  const std::vector<std::string> sentences = remarks(file);
  ASSERT_EQ(sentences.size(), 3U);
  EXPECT_EQ(sentences[0], "Odd: a takes longer than b.");
  EXPECT_EQ(sentences[1], "Here, messages overlap.");
  EXPECT_EQ(sentences[2],
            "Merged 2 measurements: their medians differ by 17 %, at most 17 % (P(2), non-temporal "
            "stores); three measurements show outliers: plait measure again.");
}

TEST(Summary, without_mpi_only_the_bounds_are_shown) {
  const std::string table = summary_table(example(false));
  EXPECT_NE(table.find("0 B  not measured             50.0 ns line\n"), std::string::npos) << table;
  EXPECT_NE(table.find("64 KiB  not measured             16.4 GB/s copy\n"), std::string::npos)
      << table;
}

}  // namespace
}  // namespace plait::measure
