// SPDX-License-Identifier: BSD-3-Clause
// Tables: columns as wide as their cells, fitted to the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/style.hpp"
#include "text/terminal.hpp"

namespace plait {

enum class Align { left, right };

/// Shortens a text to a width: truncate, truncate_middle, abridge.
using Shorten = std::string (*)(std::string_view text, std::size_t width);

/// A column of a table.
struct Column {
  std::string title;  ///< above the cells; may have several lines
  Align align = Align::left;
  Shorten shorten = nullptr;   ///< how cells are shortened if the table is too wide; null: never
  std::size_t most_lines = 1;  ///< above 1: cells are wrapped instead, to at most so many lines
};

/// A column of texts.
inline Column text_column(std::string title, Shorten shorten = nullptr) {
  return {std::move(title), Align::left, shorten, 1};
}

/// A column of texts of up to `most_lines` lines.
inline Column wrapped_column(std::string title, std::size_t most_lines) {
  return {std::move(title), Align::left, nullptr, most_lines};
}

/// A column of numbers.
inline Column number_column(std::string title) {
  return {std::move(title), Align::right, nullptr, 1};
}

struct TableLook {
  std::size_t indent = 0;
  bool color = false;
  std::size_t width = kTerminalColumns;  ///< includes the indent
};

/// A table. Columns are as wide as their widest cell or title, with two blanks between them. If the
/// table is wider than the terminal, columns that may be shortened or wrapped become narrower: the
/// widest ones first, those of 30 and less only if the table does not fit with single blanks
/// either. A table that still does not fit is folded if that is allowed, else its lines are too
/// wide.
class Table {
public:
  explicit Table(std::vector<Column> columns, TableLook look = {});

  /// Adds a row. Cells may be missing at its end, may have several lines, and may have colours.
  void add(std::vector<std::string> cells, Paint with = Paint::none);

  /// Allows to fold the table: columns that do not fit follow below, each time beside the first
  /// `columns` ones again.
  void fold_beside(std::size_t columns);

  [[nodiscard]] bool empty() const { return rows_.empty(); }

  /// The titles, dimmed if there are colours, and the rows; without titles if all are empty.
  [[nodiscard]] std::vector<std::string> lines() const;

  /// The same, with a line end after each one.
  [[nodiscard]] std::string text() const;

private:
  using Cell = std::vector<std::string>;  ///< its lines
  struct Row {
    std::vector<Cell> cells;
    Paint paint;
  };
  /// Some of the columns, side by side.
  struct Block {
    std::vector<std::size_t> columns;
    std::vector<std::size_t> widths;
    std::size_t gap;
  };

  [[nodiscard]] std::size_t title_width(std::size_t column) const;
  [[nodiscard]] std::size_t natural_width(std::size_t column) const;
  [[nodiscard]] std::size_t width_of(const Block& block) const;
  [[nodiscard]] bool narrow(Block& block, std::size_t least) const;
  [[nodiscard]] Block fitting(std::size_t gap, std::size_t least) const;
  [[nodiscard]] Block tightened(Block block) const;
  [[nodiscard]] std::vector<Block> blocks() const;
  [[nodiscard]] Cell fitted(const Cell& cell, std::size_t column, std::size_t width) const;
  [[nodiscard]] std::vector<std::string> row_lines(const Block& block,
                                                   const std::vector<Cell>& cells,
                                                   bool at_the_bottom) const;

  std::vector<Column> columns_;
  std::vector<Cell> titles_;
  std::vector<Row> rows_;
  TableLook look_;
  std::size_t folded_beside_ = 0;
};

}  // namespace plait
