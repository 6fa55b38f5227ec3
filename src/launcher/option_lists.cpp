// SPDX-License-Identifier: BSD-3-Clause
// Helpers of the launcher classes: lists of options, lists of hosts, matches in text.
#include "launcher/option_lists.hpp"

#include <fmt/format.h>

#include <charconv>
#include <regex>

#include "base/short_lines.hpp"

namespace plait::launcher {

std::string first_match(const std::string& text, const std::string& pattern) {
  const std::string lines = with_short_lines(text);
  std::smatch match;
  return std::regex_search(lines, match, std::regex(pattern)) ? match[1].str() : "";
}

std::optional<int> whole_number(const std::string& text) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || value < 0) return std::nullopt;
  return value;
}

std::string host_counts(const std::vector<std::string>& nodes, int per_node) {
  std::string text;
  for (const std::string& node : nodes) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", node, per_node);
  }
  return text;
}

}  // namespace plait::launcher
