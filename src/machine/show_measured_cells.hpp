// SPDX-License-Identifier: BSD-3-Clause
// Common parts of the tables of measurements: their spread, a choice of columns, a table by size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "machine/measured.hpp"
#include "text/table.hpp"
#include "text/units.hpp"

namespace plait::machine {

/// The look of all tables of a machine.
inline constexpr TableLook kIndented{2};

/// The spread of all figures of a table as one phrase, so that its cells need no intervals.
class Spread {
public:
  void add(const Statistic& value);
  void add(const Estimate& value);
  [[nodiscard]] std::string phrase() const;

private:
  double widest_ = 0;
  bool repeated_ = false;
};

/// "1.23", or "-" for 0, which means unknown.
std::string number_or_dash(double value);

/// At most `most` of the values, evenly spaced including the first and the last.
std::vector<std::uint64_t> some_of(const std::set<std::uint64_t>& values, std::size_t most);

/// A table with one column for each of some message sizes, and the spread of the medians in the
/// title. Rows keep the order in which they were added.
template <typename Row>
class SizeTable {
public:
  void add(const Row& row, std::uint64_t bytes, const Statistic& value) {
    add(row, bytes, value.median);
    spread_.add(value);
    has_spread_ = true;
  }

  void add(const Row& row, std::uint64_t bytes, double value) {
    auto found = std::find_if(rows_.begin(), rows_.end(),
                              [&](const auto& known) { return known.first == row; });
    if (found == rows_.end()) found = rows_.insert(rows_.end(), {row, {}});
    found->second[bytes] = value;
    sizes_.insert(bytes);
  }

  /// @param columns  that `cells` fills
  void print(std::string& out, const std::string& title, std::vector<Column> columns,
             const std::function<std::vector<std::string>(const Row&)>& cells,
             std::size_t most_sizes) const {
    if (rows_.empty()) return;
    out += '\n' + title + (has_spread_ ? " (" + spread_.phrase() + ")" : "") + '\n';
    const std::vector<std::uint64_t> sizes = some_of(sizes_, most_sizes);
    for (const std::uint64_t size : sizes) columns.push_back(number_column(format_bytes(size)));
    Table table(std::move(columns), kIndented);
    for (const auto& [row, values] : rows_) {
      std::vector<std::string> line = cells(row);
      for (const std::uint64_t size : sizes) {
        const auto found = values.find(size);
        line.push_back(found == values.end() ? "-" : format_number(found->second));
      }
      table.add(std::move(line));
    }
    out += table.text();
  }

private:
  std::vector<std::pair<Row, std::map<std::uint64_t, double>>> rows_;
  std::set<std::uint64_t> sizes_;
  Spread spread_;
  bool has_spread_ = false;
};

}  // namespace plait::machine
