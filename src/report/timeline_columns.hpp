// SPDX-License-Identifier: BSD-3-Clause
// Columns of integers as the page reads them: variable-length, in base64.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plait::report {

/// Bytes that grow by integers of 7 bits a byte, least first; the highest bit says that more follow
/// (LEB128).
class ColumnBytes {
public:
  void add(std::uint64_t value);
  /// Small of either sign stays small: 0, -1, 1, -2 become 0, 1, 2, 3.
  void add_signed(std::int64_t value);
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

private:
  std::string bytes_;
};

/// RFC 4648, section 4, padded.
std::string base64(std::string_view bytes);

}  // namespace plait::report
