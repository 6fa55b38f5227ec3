// SPDX-License-Identifier: BSD-3-Clause
// Prints milliseconds per step in at most 80 columns.
#include "tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/statistics.hpp"
#include "ratio.hpp"

namespace plait::bench {

namespace {

const std::vector<double>* samples_of(const Measured& measured, const std::string& contender) {
  const auto found = measured.samples.find(contender);
  return found == measured.samples.end() || found->second.empty() ? nullptr : &found->second;
}

std::string label(const std::string& contender) {
  if (contender == "hand") return "by hand, blocking";
  if (contender == "hand_nonblocking") return "by hand, nonblocking";
  if (contender == "exchange") return "exchange alone";
  if (contender == "compute") return "computation alone";
  if (contender == "compute_one") return "computation, 1 thread";
  return contender;
}

}  // namespace

double median_s(const Measured& measured, const std::string& contender) {
  const auto* samples = samples_of(measured, contender);
  return samples ? median(*samples) : 0;
}

Ratio ratio(const Measured& measured, const std::string& slower, const std::string& faster) {
  const auto *above = samples_of(measured, slower), *below = samples_of(measured, faster);
  if (!above || !below) return {};
  const auto interval = ratio_interval(*above, *below);
  return {interval.median, interval.low};
}

std::string fastest(const Measured& measured, const std::vector<std::string>& names) {
  std::string best;
  for (const std::string& name : names) {
    const double s = median_s(measured, name);
    if (s > 0 && (best.empty() || s < median_s(measured, best))) best = name;
  }
  return best;
}

const std::vector<std::string>& plain_schedules() {
  static const std::vector<std::string> names{
      "blocking", "nonblocking", "polled", "comm_thread", "tasks", "grains", "partitioned"};
  return names;
}

void print_table(const std::string& title, const Measured& measured,
                 const std::vector<std::string>& rows) {
  fmt::print("\n{}\n  {:<22}{:>8}  {:<16}{:>7}  {:<16}{:>6}\n", title, "ms per step", "median",
             "95 % interval", "model", "its interval", "x hand");
  for (const std::string& row : rows) {
    const auto* samples = samples_of(measured, row);
    if (!samples) {
      const auto why = measured.refused.find(row);
      if (why != measured.refused.end())
        fmt::print("  {:<22}{}\n", label(row), why->second.substr(0, 56));
      continue;
    }
    const auto interval = median_interval(*samples);
    fmt::print("  {:<22}{:>8.2f}  {:<16}", label(row), 1e3 * interval.median,
               fmt::format("[{:.2f}, {:.2f}]", 1e3 * interval.low, 1e3 * interval.high));
    if (const auto model = measured.predicted.find(row); model != measured.predicted.end()) {
      fmt::print(
          "{:>7.2f}  {:<16}", 1e3 * model->second.s,
          fmt::format("[{:.2f}, {:.2f}]", 1e3 * model->second.low_s, 1e3 * model->second.high_s));
    } else {
      fmt::print("{:>7}  {:<16}", "", "");
    }
    fmt::print("{:>6.2f}\n", ratio(measured, row, "hand").median);
  }
  if (!measured.settled.empty()) fmt::print("  automatic settled on {}\n", measured.settled);
}

}  // namespace plait::bench
