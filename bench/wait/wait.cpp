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

#include "measured_run.hpp"

namespace {

const std::vector<std::string> kAutomatic{"--wait", "automatic"};

const std::vector<MeasuredProgram> cases = {
#include "cases.inc"
};

void measure_all(const MeasuredProgram& which, const std::filesystem::path& folder) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const StepTimes alone = compare_steps(which, cores, false, kAutomatic, folder);
  const StepTimes crowded = compare_steps(which, 4 * cores, false, kAutomatic, folder);
  const StepTimes beside = compare_steps(which, 4 * cores, true, kAutomatic, folder);
  fmt::print("RESULT wait_alone_gain_{} {:.3f} ratio\n", which.kind, alone.gain);
  fmt::print("RESULT wait_crowded_gain_{} {:.3f} ratio\n", which.kind, crowded.gain);
  fmt::print("RESULT wait_busy_gain_{} {:.3f} ratio\n", which.kind, beside.gain);
  fmt::print("RESULT wait_busy_slowdown_{} {:.3f} ratio\n", which.kind,
             beside.with_us / crowded.with_us);
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
