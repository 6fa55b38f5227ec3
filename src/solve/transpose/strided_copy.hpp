// SPDX-License-Identifier: BSD-3-Clause
// Copies three-dimensional boxes between arrays of any order of axes, shared by threads. Does not
// use MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plait/transpose_shape.hpp"

namespace plait::solve {

/// One end of a copy, relative to an address that is known only when the copy runs.
struct StridedEnd {
  int memory = 0;           ///< index among the addresses given to StridedCopies::run
  std::int64_t offset = 0;  ///< of the first element, in bytes
  Long3 stride{};           ///< along x, y and z, in bytes
};

/// Boxes that move from one place to another or are set to zero, by any number of threads.
class StridedCopies {
public:
  void add(const StridedEnd& from, const StridedEnd& to, const Long3& count,
           std::size_t element_bytes);
  /// Sets a box to zero.
  void add_zeros(const StridedEnd& to, const Long3& count, std::size_t element_bytes);

  /// Does share `part` of `parts` shares of about equal work.
  /// @param memory  addresses that StridedEnd::memory indexes; sources are only read
  void run(std::span<std::byte* const> memory, int part, int parts) const;

  /// Bytes that all copies write.
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

private:
  /// A copy of `rows` runs: elements along axis 0, which is contiguous at the destination if
  /// possible, runs along axes 1 and 2.
  struct Entry {
    StridedEnd from;  ///< memory < 0: zeros
    StridedEnd to;
    Long3 count{};
    std::size_t element_bytes = 0;
    std::int64_t cost = 0;         ///< of one run
    std::int64_t cost_before = 0;  ///< of all entries before this one
    [[nodiscard]] std::int64_t rows() const { return count[1] * count[2]; }
  };
  static void copy_rows(const Entry& entry, const std::byte* from, std::byte* to,
                        std::int64_t first, std::int64_t last);

  std::vector<Entry> entries_;
  std::int64_t cost_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace plait::solve
