// SPDX-License-Identifier: BSD-3-Clause
// A bound on what the entries of a file may expand to in memory.
#pragma once

#include <cstdint>

namespace plait::trace {

/// Entries of a file may refer to the same text, module or list of ranks, of which each gets a
/// copy. A damaged file could so take any amount of memory. The copies of a file may have 1 MiB
/// plus 256 bytes for each byte of the file; those of recorded files have a tenth of that at most.
class Budget {
public:
  explicit Budget(std::uint64_t file_bytes) : left_((1ULL << 20) + 256 * file_bytes) {}

  /// @returns false when the budget is used up
  [[nodiscard]] bool take(std::uint64_t bytes) {
    const bool enough = bytes <= left_;
    left_ = enough ? left_ - bytes : 0;
    return enough;
  }

private:
  std::uint64_t left_;
};

}  // namespace plait::trace
