// SPDX-License-Identifier: BSD-3-Clause
// Common parts of the tables of measurements: their spread, a choice of columns, a table by size.
#include "machine/show_measured_cells.hpp"

#include <cmath>

#include "text/units.hpp"

namespace plait::machine {

void Spread::add(const Statistic& value) {
  widest_ = std::max(widest_, value.half_width());
  repeated_ = repeated_ || value.n > 1;
}

void Spread::add(const Estimate& value) {
  if (value.value > 0) widest_ = std::max(widest_, (value.high - value.low) / 2 / value.value);
  repeated_ = true;
}

std::string Spread::phrase() const {
  if (!repeated_) return "single samples";
  return "medians, intervals within +-" +
         format_percent(std::ceil(widest_ * 100) / 100, Zeros::dropped);
}

std::vector<std::uint64_t> some_of(const std::set<std::uint64_t>& values, std::size_t most) {
  std::vector<std::uint64_t> all(values.begin(), values.end());
  if (all.size() <= most) return all;
  std::vector<std::uint64_t> chosen;
  for (std::size_t i = 0; i < most; ++i) chosen.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return chosen;
}

std::string number_or_dash(double value) {
  return value > 0 ? format_number(value) : "-";
}

}  // namespace plait::machine
