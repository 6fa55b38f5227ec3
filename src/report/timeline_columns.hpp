// SPDX-License-Identifier: BSD-3-Clause
// Columns of variable-length integers in base64, as the page reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plait::report {

/// Integers in LEB128: 7 bits per byte, least significant first; the high bit marks that more
/// follow.
class ColumnBytes {
public:
  void add(std::uint64_t value);
  /// Zigzag: 0, -1, 1, -2 become 0, 1, 2, 3, so that small values of either sign stay short.
  void add_signed(std::int64_t value);
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

private:
  std::string bytes_;
};

/// Padded base64 (RFC 4648, section 4).
std::string base64(std::string_view bytes);

}  // namespace plait::report
