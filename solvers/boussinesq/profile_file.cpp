// SPDX-License-Identifier: BSD-3-Clause
// Profiles over z: a number, or a table in a file.
#include "profile_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>

#include "plait/error.hpp"

namespace plait::boussinesq {

std::vector<std::vector<double>> read_profile(const std::string& option, const std::string& text,
                                              const Grid& grid, std::size_t count) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size() && std::isfinite(number)) {
    std::vector<double> row(count);
    row[0] = number;
    return std::vector<std::vector<double>>(static_cast<std::size_t>(grid.planes()), row);
  }
  const std::string input = option + " " + text;
  std::ifstream file(text);
  if (!file) throw Error(input, "neither a number nor a file", "give a number or an existing file");
  std::vector<std::vector<double>> rows;
  int line_number = 0;
  for (std::string line; std::getline(file, line);) {
    ++line_number;
    if (line.empty() || line[0] == '#') continue;
    std::istringstream numbers(line);
    std::vector<double> row(count + 1);
    for (double& value : row) numbers >> value;
    std::string rest;
    const bool ascending = rows.empty() || row[0] > rows.back()[0];
    if (!numbers || numbers >> rest || !ascending) {
      throw Error(input, "line " + std::to_string(line_number) + " cannot be read",
                  "give z and " + std::to_string(count) + " number" + (count > 1 ? "s" : "") +
                      " per line, in ascending order of z");
    }
    rows.push_back(row);
  }
  if (rows.empty()) throw Error(input, "the file has no numbers", "give z and values in each line");
  std::vector<std::vector<double>> profile;
  for (int plane = 0; plane < grid.planes(); ++plane) {
    const double z = grid.z(plane);
    const auto after = std::find_if(rows.begin(), rows.end(),
                                    [z](const std::vector<double>& row) { return row[0] >= z; });
    const auto& high = after == rows.end() ? rows.back() : *after;
    const auto& low = after == rows.begin() || after == rows.end() ? high : *(after - 1);
    const double part = high[0] > low[0] ? (z - low[0]) / (high[0] - low[0]) : 0;
    std::vector<double> values;
    for (std::size_t c = 1; c <= count; ++c) values.push_back(low[c] + part * (high[c] - low[c]));
    profile.push_back(values);
  }
  return profile;
}

}  // namespace plait::boussinesq
