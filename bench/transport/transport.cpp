// SPDX-License-Identifier: BSD-3-Clause
// Messages and steps with plait run --transport against the MPI library's own transport, in
// interleaved runs: two ranks alone, many ranks per core, and eight ranks beside a busy process.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "measured_run.hpp"

namespace {

namespace fs = std::filesystem;

/// The programs that exchange messages and take steps.
const std::vector<MeasuredProgram> programs = {
#include "programs.inc"
};

const std::vector<std::string> kOwn{}, kPlait{"--transport"};

/// Least times of messages in us, by bytes.
using Times = std::map<int, double>;

void add_messages(const MeasuredProgram& which, const std::vector<std::string>& options,
                  const fs::path& folder, Times& least) {
  std::istringstream lines(measured_run(which, 2, options, folder));
  int bytes = 0;
  double us = 0;
  while (lines >> bytes >> us) {
    const auto [place, is_new] = least.emplace(bytes, us);
    place->second = std::min(place->second, us);
  }
}

/// @return the latency of Plait's over that of the MPI library's, and its gain in bandwidth
std::array<double, 2> measure_messages(const MeasuredProgram& which, const fs::path& folder) {
  Times own, plait;
  for (int pair = 0; pair < kPairs; ++pair) {
    add_messages(which, kOwn, folder, own);
    add_messages(which, kPlait, folder, plait);
  }
  for (const auto& [bytes, us] : own) {
    fmt::print("{:<8} {:>8} B {:>26.3f} us {:>10.3f} us {:>8.2f}\n", which.kind, bytes, us,
               plait.at(bytes), us / plait.at(bytes));
  }
  const double gain =
      std::min(own.at(64 << 10) / plait.at(64 << 10), own.at(1 << 20) / plait.at(1 << 20));
  return {plait.at(8) / own.at(8), gain};
}

void measure(const fs::path& folder) {
  const MeasuredProgram &messages = programs[0], &steps = programs[1];
  const auto [latency, bandwidth] = measure_messages(messages, folder);
  const StepTimes eight = compare_steps(steps, 8, false, kPlait, folder);
  const StepTimes sixteen = compare_steps(steps, 16, false, kPlait, folder);
  const StepTimes many = compare_steps(steps, 32, false, kPlait, folder);
  const StepTimes beside = compare_steps(steps, 8, true, kPlait, folder);
  fmt::print("RESULT transport_latency_ratio {:.3f} ratio\n", latency);
  fmt::print("RESULT transport_bandwidth_gain {:.3f} ratio\n", bandwidth);
  fmt::print("RESULT transport_oversubscribed_gain {:.3f} ratio\n",
             std::min(sixteen.gain, many.gain));
  fmt::print("RESULT transport_busy_slowdown {:.3f} ratio\n", beside.with_us / eight.with_us);
  fmt::print("RESULT transport_busy_slowdown_own {:.3f} ratio\n", beside.own_us / eight.own_us);
}

}  // namespace

int main() {
  auto pattern = (fs::temp_directory_path() / "plait-transport-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    fmt::print(stderr, "the benchmark: cannot create a folder for runs; set TMPDIR\n");
    return 1;
  }
  fmt::print("messages (least times), steps (medians): {:>4} {:>13}     gain (range of {} pairs)\n",
             "MPI's own", "Plait's", kPairs);
  int exit_code = 0;
  try {
    measure(fs::path(pattern) / "run");
  } catch (const std::exception& error) {
    fmt::print(stderr, "plait: error: {}\n", error.what());
    exit_code = 1;
  }
  fs::remove_all(pattern);
  return exit_code;
}
