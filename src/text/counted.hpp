// SPDX-License-Identifier: BSD-3-Clause
// A number with its noun in the singular or the plural: "1 rank", "2 ranks".
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace plait {

/// "1 rank", "2 ranks". Pass an irregular plural as `more`: counted(2, "process", "processes").
template <std::integral Number>
std::string counted(Number number, std::string_view one, std::string_view more = {}) {
  std::string text = std::to_string(number) + ' ';
  if (number == 1) return text.append(one);
  return more.empty() ? text.append(one) + 's' : text.append(more);
}

}  // namespace plait
