// SPDX-License-Identifier: BSD-3-Clause
// Block-cyclic distribution of the indices of one axis over the parts of a process grid.
#pragma once

#include <algorithm>

namespace plait::lu {

/// A half-open range of indices.
struct Range {
  int first = 0;
  int last = 0;
  [[nodiscard]] int size() const { return last - first; }
  [[nodiscard]] bool empty() const { return last <= first; }
  [[nodiscard]] bool overlaps(const Range& other) const {
    return first < other.last && other.first < last;
  }
};

/// Blocks of `block` indices, dealt to `parts` parts in turn; the view of part `mine`.
class BlockCyclic {
public:
  BlockCyclic(int block, int parts, int mine) : block_(block), parts_(parts), mine_(mine) {}

  [[nodiscard]] int parts() const { return parts_; }
  [[nodiscard]] int mine() const { return mine_; }
  [[nodiscard]] int owner(int global) const { return global / block_ % parts_; }
  [[nodiscard]] bool owns(int global) const { return owner(global) == mine_; }

  /// The number of own indices below `global`: the local index of the first one at or above it.
  [[nodiscard]] int below(int global) const { return below(global, mine_); }
  [[nodiscard]] int below(int global, int part) const {
    const int blocks = global / block_;
    const int full = blocks / parts_ * block_;
    const int place = blocks % parts_;
    if (part < place) return full + block_;
    return part == place ? full + global % block_ : full;
  }
  [[nodiscard]] int global(int local) const { return global(local, mine_); }
  [[nodiscard]] int global(int local, int part) const {
    return (local / block_ * parts_ + part) * block_ + local % block_;
  }

private:
  int block_;
  int parts_;
  int mine_;
};

}  // namespace plait::lu
