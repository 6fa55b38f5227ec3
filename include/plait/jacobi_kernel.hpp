// SPDX-License-Identifier: BSD-3-Clause
// The 6-point Jacobi update of a box, for the instruction set of the CPU that it runs on.
#pragma once

#include "plait/box.hpp"
#include "plait/field.hpp"

namespace plait {

namespace detail {
struct JacobiRows;
}

/// How new values are stored.
enum class Stores {
  automatic,  ///< streaming where the working set is beyond the last cache
  cached,     ///< through the caches: 24 bytes of memory traffic an update
  streaming,  ///< past them (non-temporal): 16 bytes an update, but slow when the set fits a cache
};

/// new = (sum of the six neighbours - g) / 6 on a box; all variants give the same bits, those of
///   (((x- + x+) + (y- + y+)) + (z- + z+) [- g]) * (1.0 / 6.0).
/// Thread-safe: calls on disjoint boxes may run at once.
class JacobiKernel {
public:
  /// @param own           own cells of this rank; with `ranks_on_node` it decides what `automatic`
  ///                      means and how wide a block is (layer condition, Stengel 2010, 1.3)
  /// @param threads       threads that will call
  JacobiKernel(const Int3& own, int threads, int ranks_on_node, Stores stores = Stores::automatic);

  /// Updates `box` of `next` from `now`. `g` (h^2 f of Poisson's equation) may be nullptr: zero.
  void operator()(const Field<double>& now, Field<double>& next, const Box& box,
                  const Field<double>* g = nullptr) const;

  [[nodiscard]] bool streaming() const { return streaming_; }
  /// Rows of a block along y, by the layer condition for the cache that pays: with streaming stores
  /// the second level; else the last one, so that small sets are not blocked.
  [[nodiscard]] int block_rows() const { return block_rows_; }
  /// The instruction set in use: "avx512", "avx2", "baseline".
  [[nodiscard]] const char* instruction_set() const;

private:
  bool streaming_ = false;
  int block_rows_ = 0;
  const detail::JacobiRows* rows_ = nullptr;
};

}  // namespace plait
