// SPDX-License-Identifier: BSD-3-Clause
// The 6-point Jacobi update of a box, compiled for several instruction sets.
#pragma once

#include "plait/box.hpp"
#include "plait/field.hpp"

namespace plait {

namespace detail {
struct JacobiRows;
}

/// The kind of store instructions for new values.
enum class Stores {
  automatic,  ///< streaming if the working set exceeds the last-level cache
  cached,     ///< through the caches: 24 bytes of memory traffic per update
  streaming,  ///< past the caches (non-temporal): 16 bytes per update, but slow if the set fits
};

/// Computes new = (sum of the six neighbours - g) / 6 on a box. All variants give the same bits:
///   (((x- + x+) + (y- + y+)) + (z- + z+) [- g]) * (1.0 / 6.0).
/// Thread-safe: calls on disjoint boxes may run at the same time.
class JacobiKernel {
public:
  /// @param own            own cells of this rank; together with `ranks_on_node` they determine the
  ///                       meaning of `automatic` and the block width (layer condition, Stengel
  ///                       2010, 1.3)
  /// @param threads        threads that will call the kernel
  JacobiKernel(const Int3& own, int threads, int ranks_on_node, Stores stores = Stores::automatic);

  /// Updates `box` of `next` from `now`. Local.
  /// @param g  h^2 f of Poisson's equation; nullptr: zero
  void operator()(const Field<double>& now, Field<double>& next, const Box& box,
                  const Field<double>* g = nullptr) const;

  [[nodiscard]] bool streaming() const { return streaming_; }
  /// Rows of a block along y, by the layer condition for the relevant cache: the second level with
  /// streaming stores, otherwise the last level, so that small sets are not blocked.
  [[nodiscard]] int block_rows() const { return block_rows_; }
  /// The instruction set in use: "avx512", "avx2", "baseline".
  [[nodiscard]] const char* instruction_set() const;

private:
  bool streaming_ = false;
  int block_rows_ = 0;
  const detail::JacobiRows* rows_ = nullptr;
};

}  // namespace plait
