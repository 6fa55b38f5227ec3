// SPDX-License-Identifier: BSD-3-Clause
// Predictions: the verdict in each case, and that the JSON fits its schema.
#include <gtest/gtest.h>

#include "base/json_file.hpp"
#include "report/prediction_json.hpp"
#include "schema_check.hpp"
#include "text/terminal.hpp"

namespace plait::report {
namespace {

using model::Interval;
using model::JacobiMode;

Interval exactly(double value) {
  return {value, value, value};
}

/// A machine of two cores with speeds of one and two, and one network.
PredictionReport report_of(double one_mlups, double two_mlups, const Interval& bandwidth,
                           const std::vector<int>& nodes, std::vector<JacobiMode> modes = {}) {
  PredictionReport report{{},
                          true,
                          true,
                          false,
                          {120, 120, 120},
                          model::SpeedTable({{1, one_mlups * 1e6}, {2, two_mlups * 1e6}}),
                          2,
                          8,
                          {},
                          {},
                          {}};
  report.machine.host = "machine";
  report.machine.origin = "synthetic";
  model::JacobiInputs inputs{report.speed, 2, model::Link{exactly(50e-6), bandwidth, bandwidth},
                             std::nullopt, 8};
  if (modes.empty()) modes = model::jacobi_modes(2);
  for (const int number : nodes) {
    report.predictions.push_back(
        model::predict_jacobi(inputs, model::weak_case(number, report.size), modes));
  }
  return report;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Prediction, SaysWhereOverlapPays) {
  const std::string verdict = prediction_verdict(report_of(177, 198, exactly(90e6), {1, 2, 27}));
  EXPECT_TRUE(contains(verdict, "On 27 nodes, overlap pays off: task_openmp_conserving"))
      << verdict;
  EXPECT_TRUE(contains(verdict, "It pays off from 2 nodes on.")) << verdict;
}

TEST(Prediction, SaysWhereOverlapDoesNotPay) {
  // Cores that do not saturate, the manual mode alone, a fast network.
  const std::string verdict = prediction_verdict(
      report_of(100, 200, exactly(10e9), {27}, {JacobiMode::vector, JacobiMode::task_manual}));
  EXPECT_TRUE(contains(verdict, "overlap does not pay off: task_manual")) << verdict;
}

TEST(Prediction, SaysWhereItIsUncertain) {
  const Interval uncertain{90e6, 20e6, 900e6};
  const std::string verdict = prediction_verdict(report_of(177, 198, uncertain, {2}));
  EXPECT_TRUE(contains(verdict, "it is uncertain whether overlap pays off")) << verdict;
}

TEST(Prediction, ABoundIsNotCalledReachable) {
  const std::string verdict =
      prediction_verdict(report_of(177, 198, exactly(90e6), {2}, {JacobiMode::task_openmp_upper}));
  EXPECT_TRUE(contains(verdict, "task_openmp_upper cannot exceed 396 MLUP/s")) << verdict;
}

TEST(Prediction, LargeNumbersOfCoresAndNodesFit80Columns) {
  PredictionReport report = report_of(2000, 3900, exactly(12e9), {1, 1000000});
  report.notes.emplace_back("a note of some length that has to be wrapped because it is so long");
  TerminalOptions options;
  for (const std::string& line : prediction_lines(report, options)) {
    EXPECT_LE(display_width(line), kTerminalColumns) << line;
  }
  options.color = true;
  const auto lines = prediction_lines(report, options);
  EXPECT_TRUE(contains(lines.front(), "\033[1m"));
}

TEST(Prediction, JsonFitsItsSchema) {
  const nlohmann::json schema =
      nlohmann::json::parse(read_text_file(std::string(PLAIT_SCHEMAS) + "/predict-1.schema.json"));
  for (const auto& report : {report_of(177, 198, exactly(90e6), {1, 2, 27}),
                             report_of(177, 198, exactly(90e6), {8}, {JacobiMode::vector})}) {
    const auto violations = schema_violations(schema, prediction_to_json(report));
    EXPECT_TRUE(violations.empty()) << violations.front();
  }
}

}  // namespace
}  // namespace plait::report
