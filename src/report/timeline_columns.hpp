// SPDX-License-Identifier: BSD-3-Clause
// Columns of variable-length integers in base64, as the page reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace plait::report {

/// Integers in LEB128: 7 bits per byte, least significant first; the high bit marks that more
/// follow.
class ColumnBytes {
public:
  void add(std::uint64_t value);
  /// Zigzag: 0, -1, 1, -2 become 0, 1, 2, 3, so that small values of either sign stay short.
  void add_signed(std::int64_t value);
  /// The signed difference to the previous value; readers add differences up modulo 2^64.
  void add_change(std::uint64_t& last, std::uint64_t now);
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

private:
  std::string bytes_;
};

/// Padded base64 (RFC 4648, section 4).
std::string base64(std::string_view bytes);

/// The columns one after the other, in base64.
std::string joined(const std::vector<ColumnBytes>& columns);

/// Joined columns with `count` integers each.
struct JoinedColumns {
  std::uint64_t count = 0;
  std::string columns;
};
template <class Archive>
void fields(Archive& archive, JoinedColumns& of) {
  archive(of.count, of.columns);
}
nlohmann::json columns_to_json(const JoinedColumns& of);

}  // namespace plait::report
