// SPDX-License-Identifier: BSD-3-Clause
// Columns of variable-length integers in base64, as the page reads them.
#include "report/timeline_columns.hpp"

#include <utility>

namespace plait::report {

void ColumnBytes::add(std::uint64_t value) {
  while (value >= 0x80U) {
    bytes_ += static_cast<char>((value & 0x7fU) | 0x80U);
    value >>= 7U;
  }
  bytes_ += static_cast<char>(value);
}

void ColumnBytes::add_signed(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  add((bits << 1U) ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

void ColumnBytes::add_change(std::uint64_t& last, std::uint64_t now) {
  add_signed(static_cast<std::int64_t>(now - std::exchange(last, now)));
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t byte =
          i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0;
      three = three << 8U | byte;
    }
    for (std::size_t k = 0; k < 4; ++k) {
      const bool is_padding = i + k > bytes.size();
      text += is_padding ? '=' : kDigits[three >> (18U - 6U * k) & 0x3fU];
    }
  }
  return text;
}

std::string joined(const std::vector<ColumnBytes>& columns) {
  std::string bytes;
  for (const ColumnBytes& column : columns) bytes += column.bytes();
  return base64(bytes);
}

nlohmann::json columns_to_json(const JoinedColumns& of) {
  return {{"count", of.count}, {"columns", of.columns}};
}

}  // namespace plait::report
