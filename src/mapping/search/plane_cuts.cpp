// SPDX-License-Identifier: BSD-3-Clause
// Rates blocks of a grid, and cuts a grid recursively by planes.
#include "mapping/search/plane_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace plait::mapping {
namespace {

/// The traffic through the planes between blocks, in whole planes: B - 1 planes on an axis cut into
/// B blocks, and one more on a periodic axis longer than 2.
double sent_between_blocks(const Cartesian& grid, const std::vector<double>& weight,
                           const std::vector<int>& block) {
  const double all = grid.size();
  double sum = 0;
  for (std::size_t d = 0; d < block.size(); ++d) {
    const int blocks = (grid.dims[d] + block[d] - 1) / block[d];
    const bool around = grid.periodic[d] && blocks > 1 && grid.dims[d] > 2;
    sum += (blocks - 1 + (around ? 1 : 0)) * all / grid.dims[d] * weight[d];
  }
  return sum;
}

/// Lists all blocks up to a volume, at most `limit` of them.
class BlockSearch {
public:
  BlockSearch(const std::vector<int>& dims, std::size_t limit) : dims_(dims), limit_(limit) {}

  std::vector<std::vector<int>> all(int volume) {
    block_.clear();
    extend(volume);
    return std::move(found_);
  }

private:
  void extend(int left) {
    if (found_.size() >= limit_) return;
    if (block_.size() == dims_.size()) {
      found_.push_back(block_);
      return;
    }
    for (int extent = std::min(left, dims_[block_.size()]); extent >= 1; --extent) {
      block_.push_back(extent);
      extend(left / extent);
      block_.pop_back();
    }
  }

  const std::vector<int>& dims_;
  std::size_t limit_;
  std::vector<int> block_;
  std::vector<std::vector<int>> found_;
};

class PlaneCuts {
public:
  PlaneCuts(const Cartesian& grid, const std::vector<int>& size, CutAxis axis)
      : grid_(grid), size_(size), axis_(axis), weight_(axis_weights(grid)) {
    const int processes = grid.size();
    cells_.resize(static_cast<std::size_t>(processes));
    coordinates_.resize(cells_.size() * grid.dims.size());
    for (int cell = 0; cell < processes; ++cell) {
      cells_[static_cast<std::size_t>(cell)] = cell;
      int rest = cell;
      for (std::size_t d = grid.dims.size(); d-- > 0;) {
        coordinate(cell, d) = rest % grid.dims[d];
        rest /= grid.dims[d];
      }
    }
    part_.assign(cells_.size(), 0);
  }

  std::vector<int> run() {
    split(0, cells_.size(), 0, static_cast<int>(size_.size()));
    return part_;
  }

private:
  int& coordinate(int cell, std::size_t d) {
    return coordinates_[static_cast<std::size_t>(cell) * grid_.dims.size() + d];
  }

  /// A cut: the axis, and the position in the list of parts.
  struct Choice {
    std::size_t axis = 0;
    int middle = 0;
    double sent = 0;
  };

  /// Extent of cells [begin, end) on each axis.
  std::vector<int> extents(std::size_t begin, std::size_t end) {
    std::vector<int> result(grid_.dims.size());
    for (std::size_t d = 0; d < result.size(); ++d) {
      int low = grid_.dims[d];
      int high = 0;
      for (std::size_t i = begin; i < end; ++i) {
        low = std::min(low, coordinate(cells_[i], d));
        high = std::max(high, coordinate(cells_[i], d));
      }
      result[d] = high - low + 1;
    }
    return result;
  }

  Choice by_longest(const std::vector<int>& extent, int first, int last) const {
    Choice choice;
    choice.middle = (first + last) / 2;
    double most = -1;
    for (std::size_t d = 0; d < extent.size(); ++d) {
      // A plane across the axis has 1/extent of the cells; the longest axis sends least.
      const double length = extent[d] / std::max(weight_[d], 1e-300);
      if (extent[d] > 1 && length > most) {
        most = length;
        choice.axis = d;
      }
    }
    return choice;
  }

  Choice by_least_sent(const std::vector<int>& extent, std::size_t cells, int first,
                       int last) const {
    Choice best;
    best.sent = -1;
    const int parts = last - first;
    // Each side gets at least a third of the parts: thin slices would send much later.
    int before = 0;
    for (int middle = first + 1; middle < last; ++middle) {
      before += size_[static_cast<std::size_t>(middle - 1)];
      if (3 * (middle - first) < parts || 3 * (last - middle) < parts) continue;
      for (std::size_t d = 0; d < extent.size(); ++d) {
        if (extent[d] <= 1) continue;
        const int plane = std::max(1, static_cast<int>(cells) / extent[d]);
        const bool whole = before % plane == 0;
        // A plane that ends in the middle has a step, and the step sends as well.
        double sent = weight_[d] * plane;
        if (!whole) sent += step_sent(extent, d);
        sent *= 1 + 0.01 * std::abs(2 * (middle - first) - parts) / parts;
        if (best.sent < 0 || sent < best.sent) best = {d, middle, sent};
      }
    }
    if (best.sent < 0) return by_longest(extent, first, last);
    return best;
  }

  /// The traffic through the step in a plane across axis d: the cheapest line along another axis.
  [[nodiscard]] double step_sent(const std::vector<int>& extent, std::size_t d) const {
    double least = 0;
    bool found = false;
    for (std::size_t e = 0; e < extent.size(); ++e) {
      if (e == d || extent[e] <= 1) continue;
      double line = weight_[e];
      for (std::size_t f = 0; f < extent.size(); ++f) {
        if (f != d && f != e) line *= extent[f];
      }
      if (!found || line < least) least = line;
      found = true;
    }
    return least;
  }

  void split(std::size_t begin, std::size_t end, int first, int last) {
    if (last - first <= 1 || begin == end) {
      for (std::size_t i = begin; i < end; ++i) {
        part_[static_cast<std::size_t>(cells_[i])] = first;
      }
      return;
    }
    const std::vector<int> extent = extents(begin, end);
    const Choice choice = axis_ == CutAxis::longest
                              ? by_longest(extent, first, last)
                              : by_least_sent(extent, end - begin, first, last);
    std::size_t before = 0;
    for (int part = first; part < choice.middle; ++part) {
      before += static_cast<std::size_t>(size_[static_cast<std::size_t>(part)]);
    }
    // Take the cells of one plane in the order of the axis across which a step sends least.
    std::vector<std::size_t> priority{choice.axis};
    for (std::size_t d = 0; d < extent.size(); ++d) {
      if (d != choice.axis) priority.push_back(d);
    }
    std::stable_sort(priority.begin() + 1, priority.end(), [&](std::size_t a, std::size_t b) {
      return extent[a] * weight_[b] > extent[b] * weight_[a];
    });
    const auto middle = cells_.begin() + static_cast<std::ptrdiff_t>(begin + before);
    std::nth_element(cells_.begin() + static_cast<std::ptrdiff_t>(begin), middle,
                     cells_.begin() + static_cast<std::ptrdiff_t>(end), [&](int a, int b) {
                       for (const std::size_t d : priority) {
                         if (coordinate(a, d) != coordinate(b, d)) {
                           return coordinate(a, d) < coordinate(b, d);
                         }
                       }
                       return a < b;
                     });
    split(begin, begin + before, first, choice.middle);
    split(begin + before, end, choice.middle, last);
  }

  const Cartesian& grid_;
  const std::vector<int>& size_;
  CutAxis axis_;
  std::vector<double> weight_;
  std::vector<int> cells_;
  std::vector<int> coordinates_;
  std::vector<int> part_;
};

}  // namespace

std::vector<double> axis_weights(const Cartesian& grid) {
  const std::size_t axes = grid.dims.size();
  std::vector<double> weight(axes, 1);
  if (grid.bytes.empty()) return weight;
  if (grid.stencil == Stencil::faces) return grid.bytes;
  // Neighbours that differ in this axis and in k - 1 others: 2^(k-1) (axes-1 choose k-1).
  double sum = 0;
  double neighbours = 1;
  for (std::size_t k = 1; k <= axes; ++k) {
    sum += neighbours * grid.bytes[k - 1];
    neighbours *= 2.0 * static_cast<double>(axes - k) / static_cast<double>(k);
  }
  return std::vector<double>(axes, sum);
}

std::vector<std::vector<int>> promising_blocks(const Cartesian& grid, double capacity,
                                               std::size_t most) {
  constexpr std::size_t limit = 20000;
  const std::vector<double> weight = axis_weights(grid);
  std::vector<std::pair<double, std::vector<int>>> rated;
  for (std::vector<int>& block : BlockSearch(grid.dims, limit).all(static_cast<int>(capacity))) {
    double volume = 1;
    for (const int extent : block) volume *= extent;
    // Blocks smaller than a part are joined: blocks in a row have no plane between them. All
    // machines round sqrt alike.
    const double joined = std::sqrt(std::sqrt(volume / capacity));
    const double sent = sent_between_blocks(grid, weight, block) * joined;
    rated.emplace_back(sent, std::move(block));
  }
  const std::size_t keep = std::min(most, rated.size());
  std::partial_sort(rated.begin(), rated.begin() + static_cast<std::ptrdiff_t>(keep), rated.end());
  std::vector<std::vector<int>> result;
  for (std::size_t i = 0; i < keep; ++i) result.push_back(std::move(rated[i].second));
  return result;
}

std::vector<int> plane_cuts(const Cartesian& grid, const std::vector<int>& size, CutAxis axis) {
  return PlaneCuts(grid, size, axis).run();
}

}  // namespace plait::mapping
