// SPDX-License-Identifier: BSD-3-Clause
// Names of stack frames and places in messages.
#include "trace/frame_text.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "trace/function_names.hpp"
#include "trace/python_frame.hpp"

namespace plait::trace {
namespace {

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// The code of a Python file that is in no function.
bool is_python_file(const Frame& frame) {
  return frame.function == "<module>" && !frame.file.empty();
}

}  // namespace

std::string frame_name(const Frame& frame) {
  if (is_python_file(frame)) return base_name(frame.file);
  if (!frame.function.empty()) return short_function(frame.function);
  if (is_python_glue(frame.module)) return "unknown line of Python";
  return frame.module.empty() ? "" : fmt::format("{}+{}", base_name(frame.module), frame.offset);
}

std::string site_place(const std::vector<Frame>& frames) {
  if (frames.empty()) return "unknown place";
  const Frame& frame = frames.front();
  const std::string name = frame_name(frame);
  if (!frame.file.empty()) {
    const std::string where = fmt::format("{}:{}", base_name(frame.file), frame.line);
    const bool is_alone = frame.function.empty() || is_python_file(frame);
    return is_alone ? where : fmt::format("{} ({})", name, where);
  }
  if (name.empty()) return "unknown place";
  const bool has_module = !frame.function.empty() && !frame.module.empty();
  return has_module ? fmt::format("{} ({})", name, base_name(frame.module)) : name;
}

}  // namespace plait::trace
