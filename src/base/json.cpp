// SPDX-License-Identifier: BSD-3-Clause
// Parses JSON with a limit on its depth.
#include "base/json.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plait {
namespace {

/// The deepest nesting of brackets outside strings.
int levels_of(std::string_view text) {
  int level = 0, most = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      most = std::max(most, ++level);
    } else if (c == ']' || c == '}') {
      --level;
    }
  }
  return most;
}

}  // namespace

nlohmann::json parse_json(std::string_view text) {
  if (levels_of(text) > kMostJsonLevels) {
    throw JsonError(fmt::format("nested more than {} levels deep", kMostJsonLevels));
  }
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    // `byte` counts what was read, which ends with what was not expected.
    const std::string_view read = text.substr(0, std::max<std::size_t>(error.byte, 1) - 1);
    throw JsonError(fmt::format("not JSON (line {})", 1 + std::ranges::count(read, '\n')));
  } catch (const nlohmann::json::out_of_range& error) {  // a number beyond 1.8e308
    throw JsonError(json_reason(error));
  }
}

std::string in_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return text;
}

std::string json_reason(const nlohmann::json::exception& error) {
  const std::string text = in_one_line(error.what());
  const std::size_t end = text.find("] ");
  return text.starts_with("[json.exception") && end != text.npos ? text.substr(end + 2) : text;
}

}  // namespace plait
