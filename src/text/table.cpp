// SPDX-License-Identifier: BSD-3-Clause
// Tables: columns as wide as their cells, fitted to the terminal.
#include "text/table.hpp"

#include <algorithm>
#include <utility>

#include "text/wrap.hpp"

namespace plait {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kWide = 30;  ///< a list or a text; narrower columns have names or numbers
constexpr std::size_t kLeast = 6;  ///< width of the narrowest column that was shortened

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::size_t widest(const std::vector<std::string>& lines) {
  std::size_t width = 0;
  for (const std::string& line : lines) width = std::max(width, display_width(line));
  return width;
}

}  // namespace

Table::Table(std::vector<Column> columns, TableLook look)
    : columns_(std::move(columns)), look_(look) {
  for (const Column& column : columns_) titles_.push_back(lines_of(column.title));
}

void Table::add(std::vector<std::string> cells, Paint with) {
  cells.resize(columns_.size());
  Row& row = rows_.emplace_back(Row{{}, with});
  for (const std::string& cell : cells) row.cells.push_back(lines_of(cell));
}

void Table::fold_beside(std::size_t columns) {
  folded_beside_ = columns;
}

std::size_t Table::title_width(std::size_t column) const {
  return widest(titles_[column]);
}

std::size_t Table::natural_width(std::size_t column) const {
  std::size_t width = title_width(column);
  for (const Row& row : rows_) width = std::max(width, widest(row.cells[column]));
  return width;
}

std::size_t Table::width_of(const Block& block) const {
  std::size_t width = look_.indent + block.gap * (block.widths.size() - 1);
  for (const std::size_t one : block.widths) width += one;
  return width;
}

/// Takes one column from the widest one that may become narrower, and is wider than `least` and its
/// title; false if there is none.
bool Table::narrow(Block& block, std::size_t least) const {
  std::size_t* most = nullptr;
  for (std::size_t i = 0; i < block.columns.size(); ++i) {
    const std::size_t column = block.columns[i];
    const bool may = columns_[column].shorten != nullptr || columns_[column].most_lines > 1;
    if (!may || block.widths[i] <= std::max(least, title_width(column))) continue;
    if (most == nullptr || block.widths[i] > *most) most = &block.widths[i];
  }
  if (most == nullptr) return false;
  --*most;
  return true;
}

/// The block with columns only as wide as their shortened cells.
Table::Block Table::tightened(Block block) const {
  for (std::size_t i = 0; i < block.columns.size(); ++i) {
    const std::size_t column = block.columns[i];
    std::size_t width = title_width(column);
    for (const Row& row : rows_) {
      width = std::max(width, widest(fitted(row.cells[column], column, block.widths[i])));
    }
    block.widths[i] = width;
  }
  return block;
}

/// All columns side by side, the widest ones narrowed as far as needed and at most to `least`.
Table::Block Table::fitting(std::size_t gap, std::size_t least) const {
  Block block{{}, {}, gap};
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    block.columns.push_back(column);
    block.widths.push_back(natural_width(column));
  }
  while (width_of(block) > look_.width && narrow(block, least)) continue;
  return block;
}

std::vector<Table::Block> Table::blocks() const {
  Block all = fitting(kGap, kWide);
  if (width_of(all) > look_.width) all = fitting(1, kLeast);
  if (width_of(all) <= look_.width || folded_beside_ == 0) return {tightened(std::move(all))};

  const auto keys = static_cast<std::ptrdiff_t>(folded_beside_);
  const Block beside{{all.columns.begin(), all.columns.begin() + keys},
                     {all.widths.begin(), all.widths.begin() + keys},
                     1};
  std::vector<Block> folded;
  for (std::size_t column = folded_beside_; column < columns_.size(); ++column) {
    const bool fits =
        !folded.empty() && width_of(folded.back()) + 1 + all.widths[column] <= look_.width;
    if (!fits) folded.push_back(beside);
    folded.back().columns.push_back(column);
    folded.back().widths.push_back(all.widths[column]);
  }
  return folded;
}

Table::Cell Table::fitted(const Cell& cell, std::size_t column, std::size_t width) const {
  const Column& of = columns_[column];
  Cell fitting;
  for (const std::string& line : cell) {
    if (display_width(line) <= width) {
      fitting.push_back(line);
    } else if (of.most_lines > 1) {
      for (std::string& part : wrap(line, width, of.most_lines)) fitting.push_back(std::move(part));
    } else {
      fitting.push_back(of.shorten != nullptr ? of.shorten(line, width) : line);
    }
  }
  return fitting;
}

std::vector<std::string> Table::row_lines(const Block& block, const std::vector<Cell>& cells,
                                          bool at_the_bottom) const {
  std::vector<Cell> fitting;
  std::size_t height = 0;
  for (std::size_t i = 0; i < block.columns.size(); ++i) {
    fitting.push_back(fitted(cells[block.columns[i]], block.columns[i], block.widths[i]));
    height = std::max(height, fitting.back().size());
  }
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < height; ++at) {
    std::string line(look_.indent, ' ');
    for (std::size_t i = 0; i < fitting.size(); ++i) {
      if (i > 0) line.append(block.gap, ' ');
      const std::size_t above = at_the_bottom ? height - fitting[i].size() : 0;
      const bool has_line = at >= above && at - above < fitting[i].size();
      line += pad(has_line ? fitting[i][at - above] : "", block.widths[i],
                  columns_[block.columns[i]].align == Align::right);
    }
    lines.push_back(without_trailing_blanks(std::move(line)));
  }
  return lines;
}

std::vector<std::string> Table::lines() const {
  const bool titled = std::any_of(columns_.begin(), columns_.end(),
                                  [](const Column& column) { return !column.title.empty(); });
  std::vector<std::string> all;
  const auto add = [&](const std::vector<std::string>& lines, Paint with) {
    for (const std::string& line : lines) all.push_back(paint(line, with, look_.color));
  };
  for (const Block& block : blocks()) {
    if (titled) add(row_lines(block, titles_, true), Paint::dim);
    for (const Row& row : rows_) add(row_lines(block, row.cells, false), row.paint);
  }
  return all;
}

std::string Table::text() const {
  return joined_lines(lines());
}

}  // namespace plait
