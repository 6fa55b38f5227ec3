// SPDX-License-Identifier: BSD-3-Clause
// The cost of a sample, and the share of a thread's time that 100 samples per second take. The
// figures are the medians of several runs.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "base/subprocess.hpp"
#include "plait/error.hpp"

namespace {

constexpr int kRounds = 7;

struct Case {
  std::string kind, launcher, program, object, signals;
};

const std::vector<Case> cases = {
#include "cases.inc"
};

struct Cost {
  double median_us = 0, fastest_us = 0;
};

Cost run(const Case& which, const std::filesystem::path& records) {
  std::filesystem::remove_all(records);
  std::filesystem::create_directory(records);
  std::vector<std::string> command{which.launcher, "-n", "1"};
  command.insert(command.end(), {which.kind == "openmpi" ? "--bind-to" : "-bind-to", "core"});
  command.insert(command.end(), {"env", "LD_PRELOAD=" + which.object + ":" + which.signals,
                                 "PLAIT_RECORDS=" + records.string(), "PLAIT_OPTIONS=sample",
                                 "PLAIT_SAMPLE_HZ=1", which.program});
  const auto result = plait::run_command(
      command, std::chrono::seconds(60), {},
      {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
  Cost cost;
  if (result.exit_code != 0 ||
      std::sscanf(result.out.c_str(), "%lf %lf", &cost.median_us, &cost.fastest_us) != 2)
    throw plait::Error(which.program, "the measured program failed", result.err);
  return cost;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Returns the share of a thread's time, in percent.
double measure(const Case& which, const std::filesystem::path& records) {
  constexpr double kHz = 100;
  std::vector<double> medians, fastest;
  for (int round = 0; round < kRounds; ++round) {
    const Cost cost = run(which, records);
    medians.push_back(cost.median_us);
    fastest.push_back(cost.fastest_us);
  }
  fmt::print("{}: a sample takes {:.1f} us with 30 frames, {:.1f} us at least\n", which.kind,
             median(medians), median(fastest));
  fmt::print("RESULT sample_us_{} {:.2f} us\n", which.kind, median(medians));
  const double percent = median(medians) * kHz * 1e-6 * 100;
  fmt::print("RESULT sample_overhead_percent_{} {:.4f} %\n", which.kind, percent);
  return percent;
}

}  // namespace

int main() {
  auto pattern = (std::filesystem::temp_directory_path() / "plait-samples-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    fmt::print(stderr, "the benchmark: cannot create a folder for records; set TMPDIR\n");
    return 1;
  }
  int exit_code = 0;
  try {
    double most = 0;
    for (const Case& which : cases) {
      most = std::max(most, measure(which, std::filesystem::path(pattern) / "records"));
    }
    fmt::print("RESULT sample_overhead_percent {:.4f} %\n", most);
  } catch (const std::exception& error) {
    fmt::print(stderr, "plait: error: {}\n", error.what());
    exit_code = 1;
  }
  std::filesystem::remove_all(pattern);
  return exit_code;
}
