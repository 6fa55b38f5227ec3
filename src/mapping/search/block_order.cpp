// SPDX-License-Identifier: BSD-3-Clause
// Orders the processes of a grid by blocks, or along the Hilbert curve.
#include "mapping/search/block_order.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace plait::mapping {
namespace {

int product(const std::vector<int>& dims) {
  int result = 1;
  for (const int d : dims) result *= d;
  return result;
}

/// Walks over a box with any number of axes, the last axis fastest; `snake`: back and forth.
class Walk {
public:
  Walk(std::vector<int> extents, bool snake)
      : extents_(std::move(extents)),
        snake_(snake),
        at_(extents_.size(), 0),
        step_(at_.size(), 1) {}

  [[nodiscard]] const std::vector<int>& at() const { return at_; }

  bool next() {
    for (std::size_t d = at_.size(); d-- > 0;) {
      const int to = at_[d] + step_[d];
      if (to >= 0 && to < extents_[d]) {
        at_[d] = to;
        return true;
      }
      if (snake_) {
        step_[d] = -step_[d];
      } else {
        at_[d] = 0;
      }
    }
    return false;
  }

private:
  std::vector<int> extents_;
  bool snake_;
  std::vector<int> at_;
  std::vector<int> step_;
};

/// Hilbert index of coordinates of `bits` bits each, in place; Skilling's AxestoTranspose
/// ("Programming the Hilbert curve", AIP Conf. Proc. 707, 2004).
void to_hilbert(std::vector<unsigned>& x, int bits) {
  const std::size_t n = x.size();
  for (unsigned q = 1U << static_cast<unsigned>(bits - 1); q > 1; q >>= 1U) {
    const unsigned p = q - 1;
    for (std::size_t i = 0; i < n; ++i) {
      if ((x[i] & q) != 0) {
        x[0] ^= p;
      } else {
        const unsigned t = (x[0] ^ x[i]) & p;
        x[0] ^= t;
        x[i] ^= t;
      }
    }
  }
  for (std::size_t i = 1; i < n; ++i) x[i] ^= x[i - 1];
  unsigned t = 0;
  for (unsigned q = 1U << static_cast<unsigned>(bits - 1); q > 1; q >>= 1U) {
    if ((x[n - 1] & q) != 0) t ^= q - 1;
  }
  for (unsigned& value : x) value ^= t;
}

/// The bits of all coordinates, the highest of each first.
std::uint64_t interleaved(const std::vector<unsigned>& x, int bits) {
  std::uint64_t key = 0;
  for (int bit = bits; bit-- > 0;) {
    for (const unsigned value : x) key = key << 1U | (value >> static_cast<unsigned>(bit) & 1U);
  }
  return key;
}

}  // namespace

std::vector<int> block_order(const std::vector<int>& dims, const std::vector<int>& block,
                             bool snake) {
  const std::size_t axes = dims.size();
  std::vector<int> blocks(axes);
  for (std::size_t d = 0; d < axes; ++d) blocks[d] = (dims[d] + block[d] - 1) / block[d];
  std::vector<int> order;
  order.reserve(static_cast<std::size_t>(product(dims)));
  Walk over_blocks(blocks, snake);
  std::vector<int> extents(axes);
  do {
    for (std::size_t d = 0; d < axes; ++d) {
      extents[d] = std::min(block[d], dims[d] - over_blocks.at()[d] * block[d]);
    }
    Walk inside(extents, snake);
    do {
      int index = 0;
      for (std::size_t d = 0; d < axes; ++d) {
        const int first = over_blocks.at()[d] * block[d];
        index = index * dims[d] + first + inside.at()[d];
      }
      order.push_back(index);
    } while (inside.next());
  } while (over_blocks.next());
  return order;
}

std::vector<int> hilbert_order(const std::vector<int>& dims) {
  std::vector<std::size_t> axes;  // those longer than 1
  int longest = 1;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] > 1) axes.push_back(d);
    longest = std::max(longest, dims[d]);
  }
  int bits = 1;
  while ((1 << bits) < longest) ++bits;
  if (axes.empty() || axes.size() * static_cast<std::size_t>(bits) > 64) return {};

  std::vector<std::pair<std::uint64_t, int>> keyed;
  keyed.reserve(static_cast<std::size_t>(product(dims)));
  Walk cells(dims, false);
  std::vector<unsigned> x(axes.size());
  int index = 0;
  do {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      x[i] = static_cast<unsigned>(cells.at()[axes[i]]);
    }
    to_hilbert(x, bits);
    keyed.emplace_back(interleaved(x, bits), index++);
  } while (cells.next());
  std::sort(keyed.begin(), keyed.end());
  std::vector<int> order;
  order.reserve(keyed.size());
  for (const auto& [key, cell] : keyed) order.push_back(cell);
  return order;
}

}  // namespace plait::mapping
