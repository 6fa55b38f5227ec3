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

#include "busy_process.hpp"
#include "measured_run.hpp"
#include "plait/error.hpp"

namespace {

namespace fs = std::filesystem;

constexpr int kPairs = 5;

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

double step_us(const MeasuredProgram& which, int ranks, const std::vector<std::string>& options,
               const fs::path& folder) {
  const std::string printed = measured_run(which, ranks, options, folder);
  double us = 0;
  if (std::sscanf(printed.c_str(), "%lf", &us) != 1)
    throw plait::Error(which.program, "the measured program printed no time", "");
  return us;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
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

struct Medians {
  double own_us, plait_us, gain;
};

Medians measure_steps(const MeasuredProgram& which, int ranks, bool busy, const fs::path& folder) {
  const BusyProcess process(busy);
  std::vector<double> own, plait, gains;
  for (int pair = 0; pair < kPairs; ++pair) {
    own.push_back(step_us(which, ranks, kOwn, folder));
    plait.push_back(step_us(which, ranks, kPlait, folder));
    gains.push_back(own.back() / plait.back());
  }
  const Medians medians{median(own), median(plait), median(gains)};
  fmt::print("{:<8} {:>3} ranks{:<22} {:>9.1f} us {:>10.1f} us {:>8.2f} ({:.2f} to {:.2f})\n",
             which.kind, ranks, busy ? ", a busy process" : "", medians.own_us, medians.plait_us,
             medians.gain, *std::ranges::min_element(gains), *std::ranges::max_element(gains));
  return medians;
}

void measure(const fs::path& folder) {
  const MeasuredProgram &messages = programs[0], &steps = programs[1];
  const auto [latency, bandwidth] = measure_messages(messages, folder);
  const Medians eight = measure_steps(steps, 8, false, folder);
  const Medians sixteen = measure_steps(steps, 16, false, folder);
  const Medians many = measure_steps(steps, 32, false, folder);
  const Medians beside = measure_steps(steps, 8, true, folder);
  fmt::print("RESULT transport_latency_ratio {:.3f} ratio\n", latency);
  fmt::print("RESULT transport_bandwidth_gain {:.3f} ratio\n", bandwidth);
  fmt::print("RESULT transport_oversubscribed_gain {:.3f} ratio\n",
             std::min(sixteen.gain, many.gain));
  fmt::print("RESULT transport_busy_slowdown {:.3f} ratio\n", beside.plait_us / eight.plait_us);
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
