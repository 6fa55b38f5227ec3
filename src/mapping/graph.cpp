// SPDX-License-Identifier: BSD-3-Clause
// Builds communication graphs of Cartesian grids and of matrices.
#include "mapping/graph.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>

#include "plait/error.hpp"

namespace plait::mapping {
namespace {

std::string text(const std::vector<int>& dims) {
  std::string result;
  for (const int d : dims) {
    if (!result.empty()) result += 'x';
    result += std::to_string(d);
  }
  return result;
}

/// The direction of a neighbour, an offset of -1, 0 or 1 per axis, and the bytes sent to it.
struct Direction {
  std::vector<int> offset;
  double bytes = 1;
};

double bytes_at(const Cartesian& grid, std::size_t index) {
  return grid.bytes.empty() ? 1 : grid.bytes[index];
}

std::vector<Direction> face_directions(const Cartesian& grid) {
  std::vector<Direction> result;
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    for (const int step : {-1, 1}) {
      Direction direction{std::vector<int>(grid.dims.size(), 0), bytes_at(grid, d)};
      direction.offset[d] = step;
      result.push_back(direction);
    }
  }
  return result;
}

std::vector<Direction> full_directions(const Cartesian& grid) {
  std::vector<Direction> result;
  std::vector<int> offset(grid.dims.size(), -1);
  while (true) {
    const auto axes_off = static_cast<std::size_t>(
        std::count_if(offset.begin(), offset.end(), [](int step) { return step != 0; }));
    if (axes_off > 0) result.push_back({offset, bytes_at(grid, axes_off - 1)});
    std::size_t d = 0;
    while (d < offset.size() && ++offset[d] > 1) offset[d++] = -1;
    if (d == offset.size()) return result;
  }
}

void check(const Cartesian& grid) {
  const std::string name = "grid " + text(grid.dims);
  if (grid.periodic.size() != grid.dims.size()) {
    throw Error(name, "periods are given for " + std::to_string(grid.periodic.size()) + " axes",
                "give one period per axis");
  }
  if (!grid.bytes.empty() && grid.bytes.size() != grid.dims.size()) {
    throw Error(name, std::to_string(grid.bytes.size()) + " weights are given",
                "give one weight per axis, or none");
  }
  for (const double bytes : grid.bytes) {
    if (!(bytes >= 0) || std::isinf(bytes)) {
      throw Error(name, "a weight is negative or not a number", "give bytes of 0 or more");
    }
  }
  constexpr std::size_t most_axes = 10;  // a full stencil has 3^d - 1 directions
  if (grid.stencil == Stencil::full && grid.dims.size() > most_axes) {
    throw Error(name, "too many axes for a full stencil", "give at most 10, or faces only");
  }
}

/// A neighbour in a row under construction.
struct Entry {
  int to;
  double bytes;
  double messages;
};

class GridRows {
public:
  explicit GridRows(const Cartesian& grid)
      : grid_(grid),
        directions_(grid.stencil == Stencil::faces ? face_directions(grid) : full_directions(grid)),
        at_(grid.dims.size(), 0) {}

  /// Appends the row of the next process.
  void append_to(Graph& graph) {
    row_.clear();
    for (const Direction& direction : directions_) {
      const int to = neighbour(direction.offset);
      if (to >= 0 && to != process_) row_.push_back({to, direction.bytes, 1});
    }
    std::sort(row_.begin(), row_.end(), [](const Entry& a, const Entry& b) { return a.to < b.to; });
    for (std::size_t i = 0; i < row_.size(); ++i) {
      if (i > 0 && row_[i].to == row_[i - 1].to) {
        if (grid_.pairs_once) continue;
        graph.bytes.back() += row_[i].bytes;
        graph.messages.back() += 1;
      } else {
        graph.to.push_back(row_[i].to);
        graph.bytes.push_back(row_[i].bytes);
        graph.messages.push_back(1);
      }
    }
    graph.first.push_back(static_cast<std::int64_t>(graph.to.size()));
    advance();
  }

private:
  [[nodiscard]] int neighbour(const std::vector<int>& offset) const {
    int index = 0;
    for (std::size_t d = 0; d < at_.size(); ++d) {
      int c = at_[d] + offset[d];
      if (c < 0 || c >= grid_.dims[d]) {
        if (!grid_.periodic[d]) return -1;
        c = c < 0 ? grid_.dims[d] - 1 : 0;
      }
      index = index * grid_.dims[d] + c;
    }
    return index;
  }

  void advance() {
    ++process_;
    for (std::size_t d = at_.size(); d-- > 0;) {
      if (++at_[d] < grid_.dims[d]) return;
      at_[d] = 0;
    }
  }

  const Cartesian& grid_;
  std::vector<Direction> directions_;
  std::vector<int> at_;
  std::vector<Entry> row_;
  int process_ = 0;
};

}  // namespace

int Cartesian::size() const {
  std::int64_t product = 1;
  for (const int d : dims) {
    if (d < 1) throw Error("grid " + text(dims), "an axis has no processes", "give 1 or more");
    product *= d;
    if (product > std::numeric_limits<int>::max()) {
      throw Error("grid " + text(dims), "more processes than can be counted",
                  "give smaller dimensions");
    }
  }
  return static_cast<int>(product);
}

Graph graph_of(const Cartesian& grid) {
  const int size = grid.size();
  check(grid);
  Graph graph;
  GridRows rows(grid);
  for (int process = 0; process < size; ++process) rows.append_to(graph);
  return graph;
}

Graph graph_of(const std::vector<double>& bytes, int size) {
  const auto n = static_cast<std::size_t>(std::max(size, 0));
  if (size < 0 || bytes.size() != n * n) {
    throw Error("matrix of " + std::to_string(size) + " processes",
                "it has " + std::to_string(bytes.size()) + " entries", "give a square matrix");
  }
  Graph graph;
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      const double sent = bytes[row * n + column];
      const double received = bytes[column * n + row];
      if (!(sent >= 0) || std::isinf(sent)) {
        throw Error("matrix of " + std::to_string(size) + " processes",
                    "entry " + std::to_string(row) + ", " + std::to_string(column) +
                        " is negative or not a number",
                    "give bytes of 0 or more");
      }
      if (row == column || (sent == 0 && received == 0)) continue;
      graph.to.push_back(static_cast<int>(column));
      graph.bytes.push_back(sent);
      graph.messages.push_back(sent > 0 ? 1 : 0);
    }
    graph.first.push_back(static_cast<std::int64_t>(graph.to.size()));
  }
  return graph;
}

}  // namespace plait::mapping
