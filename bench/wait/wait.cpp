// SPDX-License-Identifier: BSD-3-Clause
// The time of a step with plait run --wait automatic against the MPI library's own waiting, in
// interleaved pairs: a rank per core, four ranks per core, and the latter beside a busy process.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "busy_process.hpp"
#include "measured_run.hpp"
#include "plait/error.hpp"

namespace {

constexpr int kPairs = 5;

const std::vector<MeasuredProgram> cases = {
#include "cases.inc"
};

/// The time of a step in us.
double run(const MeasuredProgram& which, int ranks, bool automatic,
           const std::filesystem::path& folder) {
  const std::vector<std::string> options{"--wait", "automatic"};
  const std::string printed =
      measured_run(which, ranks, automatic ? options : std::vector<std::string>{}, folder);
  double step_us = 0;
  if (std::sscanf(printed.c_str(), "%lf", &step_us) != 1)
    throw plait::Error(which.program, "the measured program printed no time", "");
  return step_us;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Medians {
  double own_us = 0, automatic_us = 0, gain = 0;
};

Medians measure(const MeasuredProgram& which, int ranks, bool busy,
                const std::filesystem::path& folder) {
  const BusyProcess process(busy);
  std::vector<double> own, automatic, gains;
  for (int pair = 0; pair < kPairs; ++pair) {
    own.push_back(run(which, ranks, false, folder));
    automatic.push_back(run(which, ranks, true, folder));
    gains.push_back(own.back() / automatic.back());
  }
  std::sort(gains.begin(), gains.end());
  const Medians medians{median(own), median(automatic), median(gains)};
  fmt::print("{:<8} {:>3} ranks{:<22} {:>10.1f} us {:>10.1f} us  {:>7.2f} ({:.2f} to {:.2f})\n",
             which.kind, ranks, busy ? ", a busy process" : "", medians.own_us,
             medians.automatic_us, medians.gain, gains.front(), gains.back());
  return medians;
}

void measure_all(const MeasuredProgram& which, const std::filesystem::path& folder) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const Medians alone = measure(which, cores, false, folder);
  const Medians crowded = measure(which, 4 * cores, false, folder);
  const Medians beside = measure(which, 4 * cores, true, folder);
  fmt::print("RESULT wait_alone_gain_{} {:.3f} ratio\n", which.kind, alone.gain);
  fmt::print("RESULT wait_crowded_gain_{} {:.3f} ratio\n", which.kind, crowded.gain);
  fmt::print("RESULT wait_busy_gain_{} {:.3f} ratio\n", which.kind, beside.gain);
  fmt::print("RESULT wait_busy_slowdown_{} {:.3f} ratio\n", which.kind,
             beside.automatic_us / crowded.automatic_us);
}

}  // namespace

int main() {
  auto pattern = (std::filesystem::temp_directory_path() / "plait-wait-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    fmt::print(stderr, "the benchmark: cannot create a folder for runs; set TMPDIR\n");
    return 1;
  }
  fmt::print("the time of a step: {:>24} {:>13}  gain (range of {} pairs)\n", "MPI's own waiting",
             "automatic", kPairs);
  int exit_code = 0;
  try {
    for (const MeasuredProgram& which : cases)
      measure_all(which, std::filesystem::path(pattern) / "run");
  } catch (const std::exception& error) {
    fmt::print(stderr, "plait: error: {}\n", error.what());
    exit_code = 1;
  }
  std::filesystem::remove_all(pattern);
  return exit_code;
}
