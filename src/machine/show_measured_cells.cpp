// SPDX-License-Identifier: BSD-3-Clause
// Common parts of the tables of measurements: intervals, a choice of columns, a table by size.
#include "machine/show_measured_cells.hpp"

#include <cmath>
#include <sstream>

namespace plait::machine {

void Spread::add(const Statistic& value) {
  if (value.median > 0) {
    widest_ = std::max(widest_, (value.ci_high - value.ci_low) / 2 / value.median);
  }
  repeated_ = repeated_ || value.n > 1;
}

void Spread::add(const Estimate& value) {
  if (value.value > 0) widest_ = std::max(widest_, (value.high - value.low) / 2 / value.value);
  repeated_ = true;
}

std::string Spread::phrase() const {
  if (!repeated_) return "single samples";
  return fmt::format("medians, intervals within +-{:.0f} %", std::ceil(widest_ * 100));
}

std::string interval_text(const Statistic& value) {
  if (value.n < 2) return number_text(value.median);
  return fmt::format("{} [{}, {}]", number_text(value.median), number_text(value.ci_low),
                     number_text(value.ci_high));
}

std::vector<std::uint64_t> some_of(const std::set<std::uint64_t>& values, std::size_t most) {
  std::vector<std::uint64_t> all(values.begin(), values.end());
  if (all.size() <= most) return all;
  std::vector<std::uint64_t> chosen;
  for (std::size_t i = 0; i < most; ++i) chosen.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return chosen;
}

void show_wrapped(Out out, const std::string& label, const std::string& sentence) {
  constexpr std::size_t kMargin = 12;
  constexpr std::size_t kMostLines = 6;
  std::istringstream text(sentence);
  const std::vector<std::string> parts{std::istream_iterator<std::string>(text), {}};
  std::string margin = label;
  for (const std::string& line : wrapped(parts, kColumns - kMargin, kMostLines)) {
    fmt::format_to(out, "{:<{}}{}\n", margin, kMargin, line);
    margin.clear();
  }
}

}  // namespace plait::machine
