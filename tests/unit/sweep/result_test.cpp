// SPDX-License-Identifier: BSD-3-Clause
// Results of sweeps with made-up times: speed-up, efficiency, laws, the best and the recommended
// point, and their text.
#include "sweep/result.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "made_up_sweep.hpp"
#include "sweep/plan_lines.hpp"
#include "sweep/result_lines.hpp"
#include "sweep/sweep_csv.hpp"
#include "text/terminal.hpp"

namespace plait::sweep {
namespace {

/// Amdahl's law with a serial fraction of a tenth; 1 % slower in every second run.
double amdahl(const Point& point, int repetition) {
  return 10 * (0.1 + 0.9 / point.cores()) * (repetition % 2 == 0 ? 1.01 : 1);
}

Sweep measured(const std::vector<std::string>& over, const Times& times,
               const std::vector<std::string>& weak = {}) {
  Sweep sweep = made_up_sweep(over, weak);
  make_all_runs(sweep, times);
  return sweep;
}

std::string all_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SweepResult, SpeedUpEfficiencyAndSerialFraction) {
  const SweepResult result = result_of(measured({"ranks=1,2,4,8"}, amdahl));
  ASSERT_EQ(result.series.size(), 1U);
  const PointResult& last = *result.points[3];
  EXPECT_NEAR(*last.speedup, 1 / (0.1 + 0.9 / 8), 1e-9);
  EXPECT_NEAR(*last.efficiency, *last.speedup / 8, 1e-12);
  EXPECT_NEAR(*last.karp_flatt, 0.1, 1e-9);
  EXPECT_FALSE(result.points[0]->karp_flatt.has_value());
  ASSERT_EQ(result.series[0].fits.size(), 2U);
  EXPECT_NEAR(result.series[0].fits[0].serial.value, 0.1, 1e-6);
  EXPECT_TRUE(result.series[0].fits[0].serial.low.has_value());
  EXPECT_EQ(result.workloads[0].best, 3U);
  EXPECT_NEAR(*result.workloads[0].gain, *last.speedup, 1e-12);
}

TEST(SweepResult, EfficiencyOfWeakScalingIsTheRatioOfTimes) {
  const Times times = [](const Point& point, int) { return 2 + 0.1 * (point.cores() - 1); };
  const SweepResult result =
      result_of(measured({"ranks=1,2,4,8", "size=100"}, times, {"size=ranks^1/3"}));
  EXPECT_EQ(result.series.size(), 1U);
  EXPECT_NEAR(*result.points[2]->efficiency, 2 / 2.3, 1e-9);
  EXPECT_NEAR(*result.points[2]->speedup, 4 * 2 / 2.3, 1e-9);
  ASSERT_EQ(result.series[0].fits.size(), 1U);
  EXPECT_EQ(result.series[0].fits[0].law, model::ScalingLaw::gustafson);
  EXPECT_EQ(result.workloads[0].best, 3U) << "most work per time";
}

TEST(SweepResult, OfPointsThatAreAlikeTheCheapestIsRecommended) {
  const Times times = [](const Point& point, int repetition) {
    // Beyond two cores nothing changes but the noise.
    return 10.0 / std::min(point.cores(), 2) + 0.1 * ((repetition * (point.ranks + 1)) % 3);
  };
  Sweep sweep = measured({"ranks=1,2,4"}, times);
  const Workload workload = result_of(sweep).workloads[0];
  EXPECT_EQ(workload.recommended, 1U);
  EXPECT_EQ(workload.like_best, (std::vector<std::size_t>{1, 2}));
}

TEST(SweepResult, SizesAreWorkloadsOfTheirOwn) {
  const Times times = [](const Point& point, int) {
    return std::stod(value_of(point, "size")) / point.cores();
  };
  Sweep sweep = measured({"size=10,20", "ranks=1,2"}, times);
  const SweepResult result = result_of(sweep);
  ASSERT_EQ(result.workloads.size(), 2U);
  EXPECT_EQ(result.workloads[1].name, "size=20");
  EXPECT_EQ(result.workloads[1].best, 3U);
  EXPECT_EQ(verdicts(sweep, result)[1],
            "size=20: size=20 ranks=2 is best: 10.0 s, 2.00 times as good as on the fewest cores.");
}

TEST(SweepResult, ALargerNumberMayBeBetter) {
  Sweep sweep =
      measured({"ranks=1,2,4"}, [](const Point& point, int) { return 3.0 * point.cores(); });
  sweep.figure = {FigureKind::metric, "x", "GFLOPS", true};
  const SweepResult result = result_of(sweep);
  EXPECT_EQ(result.workloads[0].best, 2U);
  EXPECT_NEAR(*result.points[2]->efficiency, 1, 1e-12);
  EXPECT_TRUE(has(all_of(result_lines(sweep, result, "folder")), "12.0 GFLOPS"));
}

TEST(SweepResult, TheLowestEfficiencyIsNamed) {
  Sweep sweep = measured({"ranks=1,2"}, amdahl);
  for (PointRun& run : sweep.points[1].runs) run.factors = {0.63, 0.7, 0.9, {}, 1};
  const SweepResult result = result_of(sweep);
  EXPECT_EQ(result.points[1]->loses, "load balance 70 %");
  EXPECT_EQ(result.points[0]->loses, "");
}

TEST(SweepLines, HaveMatrixTableLawsAndFailuresInEightyColumns) {
  Sweep sweep = made_up_sweep({"ranks=1,2,4", "threads=1,2,4"});
  sweep.points[8].failure = PointFailure{{run::Outcome::hung, 124, {}, 10, ""},
                                         "hung, killed after 10 s",
                                         "runs/9-ranks4-threads4/1",
                                         {}};
  make_all_runs(sweep, amdahl);
  for (SweepPoint& point : sweep.points) {
    for (PointRun& run : point.runs) {
      run.factors = {0.5, 0.7, 0.6, 0.9, 1};
      run.node_bytes = 123456789;
    }
  }
  const SweepResult result = result_of(sweep);
  const std::vector<std::string> lines = result_lines(sweep, result, "sweep");
  for (const std::string& line : lines) EXPECT_LE(display_width(line), 80U) << line;
  const std::string text = all_of(lines);
  for (const char* part :
       {"wall time by ranks and threads (* best)", "ranks \\ threads", "2.14 s*", "hung",
        "95 % interval", "speed-up", "communication 60 %", "Amdahl: serial fraction 10 %",
        "USL: contention", "failed: ranks=4 threads=4: hung, killed after 10 s",
        "sweep/runs/9-ranks4-threads4/1", "Next: env OMP_NUM_THREADS="}) {
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  }
  const std::string csv = sweep_to_csv(sweep, result);
  EXPECT_TRUE(has(csv, "ranks,threads,cores,runs,value,low,high"));
  EXPECT_TRUE(has(csv, "4,4,16,0,,,,,,,,,,,,,,,\"hung, killed after 10 s\"\n")) << csv;
}

TEST(SweepLines, ThePlanNamesRunsTimeAndWhatIsLeftOut) {
  Grid grid;
  grid.command = {"mpiexec", "-n", "{ranks}", "app"};
  grid.over = {parse_parameter("ranks=1,2,3,16")};
  grid.derived = {parse_derived("threads=4/ranks", false)};
  grid.most_cores = 8;
  Sweep sweep = new_sweep(grid, points_of(grid));
  sweep.figure.unit = "s";
  sweep.host_cpus = 2;
  std::string text = all_of(plan_lines(sweep));
  for (const char* part :
       {"points:    2: ranks 1, 2, 3, 16; threads = 4/ranks", "runs:      12 to 20, until",
        "time:      known after the first run", "left out:  ranks=3 threads=1.333: threads=4/ranks",
        "2 points need more than the 2 CPUs of this node",
        "first:     env OMP_NUM_THREADS=4 mpiexec -n 1 app"}) {
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  }
  make_run(sweep, [](const Point&, int) { return 3.0; });
  text = all_of(plan_lines(sweep));
  EXPECT_TRUE(has(text, "time:      33.0 to 57.0 s")) << text;
}

TEST(SweepLines, AnEndedBudgetIsContinued) {
  Sweep sweep = made_up_sweep({"ranks=1,2"});
  make_run(sweep, amdahl);
  sweep.state = SweepState::budget;
  const std::string text = all_of(result_lines(sweep, result_of(sweep), "my sweep"));
  EXPECT_TRUE(has(text, "1 point was not measured")) << text;
  EXPECT_TRUE(has(text, "Next: plait sweep --resume 'my sweep' --budget TIME")) << text;
}

}  // namespace
}  // namespace plait::sweep
