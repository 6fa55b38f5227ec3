// SPDX-License-Identifier: BSD-3-Clause
// Finds a figure in the output of a program by a regular expression.
#include "base/figure_in_text.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "base/short_lines.hpp"
#include "plait/error.hpp"

namespace plait {

std::regex figure_expression(const std::string& option, const std::string& text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error&) {
    throw Error(option, fmt::format("\"{}\" is not a regular expression", text),
                "give one whose first group is the number: 'elapsed: ([0-9.]+) s'");
  }
}

std::optional<double> figure_in(const std::string& output, const std::regex& expression) {
  const std::string lines = with_short_lines(output);
  std::smatch found;
  if (!std::regex_search(lines, found, expression) || found.size() < 2) return std::nullopt;
  const std::string text = found[1];
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? std::nullopt : std::optional(value);
}

}  // namespace plait
