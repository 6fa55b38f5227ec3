// SPDX-License-Identifier: BSD-3-Clause
// Names of functions and call sites in messages.
#include "trace/frame_text.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace plait::trace {
namespace {

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

std::string short_function(std::string_view function) {
  std::string name;
  int depth = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    const std::string_view rest = function.substr(i);
    if (rest.starts_with("operator")) return std::string(function);
    if (depth == 0 && rest.starts_with("(anonymous namespace)::")) {
      i += std::string_view("(anonymous namespace)::").size() - 1;
      continue;
    }
    if (depth == 0 && function[i] == '(') break;
    if (function[i] == '<') ++depth;
    if (depth == 0) name += function[i];
    if (function[i] == '>') --depth;
  }
  // A template's demangled name begins with its return type.
  const std::size_t blank = name.find_last_of(' ');
  if (blank != std::string::npos && blank + 1 < name.size()) name.erase(0, blank + 1);
  return name.empty() ? std::string(function) : name;
}

std::string site_place(const std::vector<Frame>& frames) {
  if (frames.empty()) return "unknown place";
  const Frame& frame = frames.front();
  const std::string function = short_function(frame.function);
  if (!frame.file.empty()) {
    const std::string where = fmt::format("{}:{}", base_name(frame.file), frame.line);
    return function.empty() ? where : fmt::format("{} ({})", function, where);
  }
  if (!function.empty()) {
    return frame.module.empty() ? function
                                : fmt::format("{} ({})", function, base_name(frame.module));
  }
  if (frame.module.empty()) return "unknown place";
  return fmt::format("{}+{}", base_name(frame.module), frame.offset);
}

}  // namespace plait::trace
