// SPDX-License-Identifier: BSD-3-Clause
// Reads published figures from tests/data: comment lines, a line of names, rows of values.
#include "csv.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace plait::model {
namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> values;
  std::istringstream rest(line);
  for (std::string value; std::getline(rest, value, ',');) values.push_back(value);
  return values;
}

}  // namespace

std::vector<CsvRow> read_csv(const std::string& name) {
  std::ifstream file(std::string(PLAIT_TEST_DATA) + "/" + name);
  std::vector<std::string> names;
  std::vector<CsvRow> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> values = split(line);
    if (names.empty()) {
      names = values;
      continue;
    }
    CsvRow row;
    for (std::size_t i = 0; i < values.size() && i < names.size(); ++i) row[names[i]] = values[i];
    rows.push_back(std::move(row));
  }
  EXPECT_FALSE(rows.empty()) << name;
  return rows;
}

double number(const CsvRow& row, const std::string& column) {
  const auto found = row.find(column);
  if (found == row.end() || found->second.empty()) {
    ADD_FAILURE() << "no number in column " << column;
    return 0;
  }
  return std::stod(found->second);
}

}  // namespace plait::model
