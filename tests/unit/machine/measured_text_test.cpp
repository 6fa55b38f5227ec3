// SPDX-License-Identifier: BSD-3-Clause
// Measurements as sentences.
#include "machine/measured_text.hpp"

#include <gtest/gtest.h>

namespace plait::machine {
namespace {

Statistic figure(double median) {
  Statistic value;
  value.min = value.ci_low = median * 0.98;
  value.median = median;
  value.ci_high = median * 1.02;
  value.n = 9;
  return value;
}

TEST(MeasuredText, several_threads_per_core_gain_or_lose) {
  Measured measured;
  EXPECT_EQ(hardware_threads_sentence(measured), "");
  measured.hardware_threads = {{"memory", 4, 8, figure(100), figure(90)},
                               {"compute", 4, 8, figure(200), figure(203)}};
  EXPECT_EQ(hardware_threads_sentence(measured),
            "With 2 threads per core instead of one, memory-bound work is 10 % slower, and "
            "compute-bound work is as fast");
  measured.hardware_threads[0].all.unusable = "disturbed";
  measured.hardware_threads[1].all = figure(250);
  EXPECT_EQ(hardware_threads_sentence(measured),
            "With 2 threads per core instead of one, compute-bound work is 25 % faster");
}

}  // namespace
}  // namespace plait::machine
