// SPDX-License-Identifier: BSD-3-Clause
// The share of a thread's time that samples take at 100 Hz: what interrupts a program with samples,
// minus what interrupts it without. Runs with and without alternate; the figures are medians.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
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

/// The interrupted part of the time.
double run(const Case& which, bool sampled, const std::filesystem::path& records) {
  std::filesystem::remove_all(records);
  std::filesystem::create_directory(records);
  std::vector<std::string> command{which.launcher, "-n", "1"};
  command.insert(command.end(), {which.kind == "openmpi" ? "--bind-to" : "-bind-to", "core"});
  command.insert(command.end(), {"env", "LD_PRELOAD=" + which.object + ":" + which.signals,
                                 "PLAIT_RECORDS=" + records.string(),
                                 std::string("PLAIT_OPTIONS=") + (sampled ? "sample" : ""),
                                 "PLAIT_SAMPLE_HZ=100", which.program});
  const auto result = plait::run_command(
      command, std::chrono::seconds(60), {},
      {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
  if (result.exit_code != 0)
    throw plait::Error(which.program, "the measured program failed", result.err);
  return std::strtod(result.out.c_str(), nullptr);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure(const Case& which, const std::filesystem::path& records) {
  std::vector<double> plain, sampled;
  for (int round = 0; round < kRounds; ++round) {
    plain.push_back(run(which, false, records));
    sampled.push_back(run(which, true, records));
  }
  const double added = std::max(0.0, median(sampled) - median(plain));
  fmt::print("{}: interrupted {:.4f} % of the time without samples, {:.4f} % with 100 per second\n",
             which.kind, 100 * median(plain), 100 * median(sampled));
  fmt::print("RESULT sample_us_{} {:.2f} us\n", which.kind, added * 1e6 / 100);
  fmt::print("RESULT sample_overhead_percent_{} {:.4f} %\n", which.kind, 100 * added);
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
    for (const Case& which : cases) measure(which, std::filesystem::path(pattern) / "records");
  } catch (const std::exception& error) {
    fmt::print(stderr, "plait: error: {}\n", error.what());
    exit_code = 1;
  }
  std::filesystem::remove_all(pattern);
  return exit_code;
}
