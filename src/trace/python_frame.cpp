// SPDX-License-Identifier: BSD-3-Clause
// Lines of Python as code addresses: the module is "FUNCTION\nFILE", the offset is the line.
#include "trace/python_frame.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <string_view>

namespace plait::trace {

CodeAddress python_address(const std::string& function, const std::string& file, int line) {
  return {function + "\n" + file, static_cast<std::uint64_t>(std::max(0, line)), 0};
}

std::optional<Frame> python_frame(const CodeAddress& address) {
  const std::string& module = address.module;
  const std::size_t end = module.find('\n');
  if (end == std::string::npos || address.offset > std::numeric_limits<int>::max()) return {};
  return Frame{module.substr(0, end), module.substr(end + 1), static_cast<int>(address.offset), "",
               ""};
}

bool is_python_glue(const std::string& path) {
  constexpr std::array<std::string_view, 5> kStarts{"_ctypes.", "_cffi_backend.", "libffi.",
                                                    "python3", "libpython3"};
  const std::string name = std::filesystem::path(path).filename().string();
  return path.find("/mpi4py/") != std::string::npos || path.starts_with("<frozen ") ||
         std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view start) { return name.starts_with(start); });
}

}  // namespace plait::trace
