// SPDX-License-Identifier: BSD-3-Clause
// Helpers of the launcher classes: lists of options, lists of hosts, matches in text.
#include "launcher/option_lists.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <regex>

namespace plait::launcher {

std::string first_match(const std::string& text, const std::string& pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

std::optional<int> whole_number(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  return std::atoi(text.c_str());
}

std::string host_counts(const std::vector<std::string>& nodes, int per_node) {
  std::string text;
  for (const std::string& node : nodes) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", node, per_node);
  }
  return text;
}

}  // namespace plait::launcher
