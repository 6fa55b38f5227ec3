// SPDX-License-Identifier: BSD-3-Clause
// Helpers of the launcher classes: lists of options, lists of hosts, matches in text.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plait::launcher {

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// How many arguments an option takes, itself included.
/// @param with_one  names of the options with one value, without dashes
/// @param with_two  names of the options with a name and a value
template <std::size_t N, std::size_t M>
std::size_t listed_option_length(const std::string& option,
                                 const std::array<std::string_view, N>& with_one,
                                 const std::array<std::string_view, M>& with_two) {
  const std::string_view name =
      std::string_view(option).substr(std::min(option.find_first_not_of('-'), option.size()));
  if (name.find('=') != name.npos) return 1;
  if (contains(with_two, name)) return 3;
  return contains(with_one, name) ? 2 : 1;
}

/// The first group of the first match of a regular expression; empty when there is none.
std::string first_match(const std::string& text, const std::string& pattern);

/// A number of digits only.
std::optional<int> whole_number(const std::string& text);

/// "n0:4,n1:4": hosts with their number of ranks.
std::string host_counts(const std::vector<std::string>& nodes, int per_node);

}  // namespace plait::launcher
