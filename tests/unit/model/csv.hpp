// SPDX-License-Identifier: BSD-3-Clause
// Reads published figures from tests/data: comment lines, a line of names, rows of values.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace plait::model {

/// A row by column name.
using CsvRow = std::map<std::string, std::string>;

/// The rows of tests/data/NAME; fails the test when there are none.
std::vector<CsvRow> read_csv(const std::string& name);

/// The number in a column; fails the test when there is none.
double number(const CsvRow& row, const std::string& column);

}  // namespace plait::model
