// SPDX-License-Identifier: BSD-3-Clause
// Copies boxes of cells between fields and messages, shared by threads. Does not use MPI.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plait/box.hpp"

namespace plait::solve {

/// One end of a copy, relative to a memory address that is known only when the copy runs.
struct CopyEnd {
  int memory = 0;                          ///< index among the addresses given to CopyList::run
  std::ptrdiff_t offset = 0;               ///< of the first cell, in bytes
  std::array<std::ptrdiff_t, 3> stride{};  ///< along x, y, z, in bytes; negative where mirrored
};

/// A box of cells that moves from one place to another.
struct BoxCopy {
  CopyEnd from;
  CopyEnd to;
  Int3 cells{};
  std::size_t element_bytes = 0;
};

/// A list of copies that any number of threads carry out together.
class CopyList {
public:
  void add(const BoxCopy& copy);

  /// Does share `part` of `parts` shares of about equal work. Each row belongs to one share.
  /// @param memory  addresses that CopyEnd::memory indexes
  void run(std::span<std::byte* const> memory, int part, int parts) const;

  /// Bytes that all copies move.
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

private:
  struct Entry {
    BoxCopy copy;
    std::int64_t rows = 0;
    std::int64_t row_cost = 0;
    std::int64_t cost_before = 0;  ///< cost of all entries before this one
    std::size_t run_bytes = 0;     ///< bytes that are contiguous at both ends
    int runs = 0;                  ///< contiguous pieces per row
  };
  static void copy_rows(const Entry& entry, const std::byte* from, std::byte* to,
                        std::int64_t first, std::int64_t last);

  std::vector<Entry> entries_;
  std::int64_t cost_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace plait::solve
