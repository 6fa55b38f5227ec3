// SPDX-License-Identifier: BSD-3-Clause
// Measures how close the links of emulated nodes come to their rate: half round trips of messages
// of 64 to 256 KiB between two nodes at four rates, without and with a switch. See
// docs/explanation/clusters.md.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "../benchmark_main.hpp"
#include "../nodes.hpp"

namespace plait::bench {
namespace {

/// MB/s of messages of one size.
struct Speed {
  double best = 0, median = 0;
};

/// Parses the output of the job (tests/cluster/job.cpp), one line per size.
std::vector<Speed> read_output(const std::string& output) {
  std::vector<Speed> speeds;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    Speed speed;
    if (std::sscanf(line.c_str(), "%*d KiB: %lf MB/s at best, %lf", &speed.best, &speed.median) ==
        2) {
      speeds.push_back(speed);
    }
  }
  return speeds;
}

/// The lowest and the highest of the best speeds, as fractions of the rate.
struct Extremes {
  double low = std::numeric_limits<double>::infinity(), high = 0;
};

Extremes measure(Nodes& nodes, const char* title, bool with_switch) {
  Extremes extremes;
  fmt::print("{}: best and median MB/s\n", title);
  fmt::print("  {:<12}{:>6}{:>18}{:>18}{:>18}\n", "Mbit/s", "MB/s", "64 KiB", "128 KiB", "256 KiB");
  for (const int mbit : {100, 200, 400, 1000}) {
    nodes.set_rate(mbit);
    const double rate_mbs = mbit / 8.0;
    std::vector<std::string> command{PLAIT_MPIEXEC, "-n", "2", PLAIT_JOB, "bandwidth", "0", "1e9"};
    // Ranks that never yield would keep the system from forwarding the packets of the switch.
    if (!with_switch) command.emplace_back("first");
    const auto speeds =
        read_output(nodes.run(fmt::format("{} Mbit/s", mbit), command, std::chrono::seconds(60)));
    fmt::print("  {:<12}{:6.1f}", mbit, rate_mbs);
    for (const Speed& speed : speeds) {
      fmt::print("{:>18}", fmt::format("{:.1f}, {:.1f}", speed.best, speed.median));
      extremes.low = std::min(extremes.low, speed.best / rate_mbs);
      extremes.high = std::max(extremes.high, speed.best / rate_mbs);
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
  fmt::print("\n");
  return extremes;
}

int run() {
  Extremes links, with_switch;
  {
    Nodes nodes("links", 2, 1000);
    links = measure(nodes, "No latency added", false);
  }
  {
    constexpr double kLatency_s = 25e-6;
    Nodes nodes("links", 2, 1000, kLatency_s);
    with_switch = measure(nodes, "Switch of 25 us", true);
  }
  fmt::print("The best of each size and rate, as a fraction of the rate:\n");
  fmt::print("RESULT link_rate_lowest {:.3f} ratio\n", links.low);
  fmt::print("RESULT link_rate_highest {:.3f} ratio\n", links.high);
  fmt::print("RESULT link_rate_lowest_with_switch {:.3f} ratio\n", with_switch.low);
  fmt::print("RESULT link_rate_highest_with_switch {:.3f} ratio\n", with_switch.high);
  return 0;
}

}  // namespace
}  // namespace plait::bench

int main() {
  return plait::bench::benchmark_main([&] { return plait::bench::run(); });
}
