// SPDX-License-Identifier: BSD-3-Clause
// Common parts of the tables of measurements: intervals, a choice of columns, a table by size.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "machine/measured.hpp"
#include "machine/show_text.hpp"

namespace plait::machine {

using Out = std::back_insert_iterator<std::string>;

/// Width of the name of a path: "same NUMA domain".
inline constexpr std::size_t kNameWidth = 16;

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

/// "1.23 [1.20, 1.26]"; a single sample has no interval.
std::string interval_text(const Statistic& value);

/// At most `most` of the values, evenly spaced including the first and the last.
std::vector<std::uint64_t> some_of(const std::set<std::uint64_t>& values, std::size_t most);

/// A label and a sentence that is wrapped to the right of it.
void show_wrapped(Out out, const std::string& label, const std::string& sentence);

/// A table of medians with one column for each of some message sizes, and their spread in the
/// title. Rows keep the order in which they were added.
template <typename Row>
class SizeTable {
public:
  void add(const Row& row, std::uint64_t bytes, const Statistic& value) {
    auto found = std::find_if(rows_.begin(), rows_.end(),
                              [&](const auto& known) { return known.first == row; });
    if (found == rows_.end()) found = rows_.insert(rows_.end(), {row, {}});
    found->second[bytes] = value.median;
    sizes_.insert(bytes);
    spread_.add(value);
  }

  /// @param head  titles of the columns that `cells` fills
  void print(Out out, const std::string& title, const std::string& head,
             const std::function<std::string(const Row&)>& cells,
             std::size_t most_sizes = 5) const {
    if (rows_.empty()) return;
    const std::vector<std::uint64_t> sizes = some_of(sizes_, most_sizes);
    fmt::format_to(out, "\n{} ({})\n  {}", title, spread_.phrase(), head);
    for (const std::uint64_t size : sizes) fmt::format_to(out, " {:>7}", message_size_text(size));
    fmt::format_to(out, "\n");
    for (const auto& [row, values] : rows_) {
      fmt::format_to(out, "  {}", cells(row));
      for (const std::uint64_t size : sizes) {
        const auto found = values.find(size);
        fmt::format_to(out, " {:>7}", found == values.end() ? "-" : number_text(found->second));
      }
      fmt::format_to(out, "\n");
    }
  }

private:
  std::vector<std::pair<Row, std::map<std::uint64_t, double>>> rows_;
  std::set<std::uint64_t> sizes_;
  Spread spread_;
};

}  // namespace plait::machine
