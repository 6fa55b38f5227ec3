// SPDX-License-Identifier: BSD-3-Clause
// Finds the function, file and line of code addresses with addr2line.
#include "trace/symbolize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "base/subprocess.hpp"
#include "plait/error.hpp"
#include "text/units.hpp"
#include "trace/function_names.hpp"
#include "trace/python_frame.hpp"

namespace plait::trace {
namespace {

constexpr std::chrono::seconds kLimit{20};

Frame bare_frame(const std::string& module, std::uint64_t offset) {
  return {"", "", 0, module, fmt::format("{:#x}", offset)};
}

/// Splits "/a/cg.c:120 (discriminator 2)" into file and line; leaves the frame as it is for "??".
void set_place(Frame& frame, const std::string& text) {
  const std::string place = text.substr(0, text.find(" (discriminator"));
  const std::size_t colon = place.find_last_of(':');
  if (colon == std::string::npos || place.compare(0, 2, "??") == 0) return;
  int line = 0;
  std::from_chars(place.data() + colon + 1, place.data() + place.size(), line);
  if (line <= 0) return;
  frame.file = place.substr(0, colon);
  frame.line = line;
}

bool is_without_line(const std::vector<Frame>& frames) {
  return frames.size() == 1 && frames.front().line == 0 && !frames.front().function.empty();
}

}  // namespace

bool is_openmp_runtime(const std::string& path) {
  constexpr std::array<std::string_view, 3> kStarts{"libgomp.", "libomp.", "libiomp5."};
  const std::string name = std::filesystem::path(path).filename().string();
  return std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view start) { return name.starts_with(start); });
}

namespace {

/// Reads the module's symbols and its dynamic symbols, which are all that a stripped module has.
FunctionExtents functions_of(const std::string& module) {
  FunctionExtents all;
  const std::string tool = find_in_path("nm");
  if (tool.empty()) return all;
  for (const char* which : {"--defined-only", "--dynamic"}) {
    const CommandResult result = run_command({tool, which, "-S", module}, kLimit);
    all.merge(parse_nm(result.out));
  }
  return all;
}

}  // namespace

FunctionExtents parse_nm(const std::string& text) {
  FunctionExtents functions;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::uint64_t begin = 0, size = 0;
    std::string kind;
    if (!(fields >> std::hex >> begin >> size >> kind) || kind.size() != 1) continue;
    constexpr std::string_view kFunctions = "TtWwViu";
    if (kFunctions.find(kind.front()) == kFunctions.npos) continue;
    std::uint64_t& end = functions[begin];
    end = std::max(end, begin + size);
  }
  return functions;
}

void clear_wrong_names(const FunctionExtents& functions,
                       std::map<std::uint64_t, std::vector<Frame>>& frames_by_address) {
  for (auto& [offset, frames] : frames_by_address) {
    if (!is_without_line(frames)) continue;
    const auto behind = functions.upper_bound(offset);
    const bool inside = behind != functions.begin() && offset < std::prev(behind)->second;
    if (!inside) frames.front().function.clear();
  }
}

bool is_mpi_module(const std::string& path) {
  constexpr std::array<std::string_view, 10> kStarts{
      "libmpi",      "libpmpi", "libmpich", "libplait-", "libopen-pal",
      "libopen-rte", "libmca_", "mca_",     "libpmix",   "libprrte"};
  const std::string name = std::filesystem::path(path).filename().string();
  return std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view start) { return name.starts_with(start); });
}

bool starts_program(const std::string& function) {
  return function == "_start" || function.starts_with("__libc_start") || function == "__libc_init";
}

std::map<std::uint64_t, std::vector<Frame>> parse_addr2line(const std::string& text,
                                                            const std::string& module) {
  std::map<std::uint64_t, std::vector<Frame>> found;
  std::istringstream lines(text);
  std::string line;
  std::vector<Frame>* current = nullptr;
  std::uint64_t offset = 0;
  while (std::getline(lines, line)) {
    if (line.starts_with("0x")) {
      std::from_chars(line.data() + 2, line.data() + line.size(), offset, 16);
      current = &found[offset];
      continue;
    }
    std::string place;
    if (current == nullptr || !std::getline(lines, place)) continue;
    Frame frame = bare_frame(module, offset);
    set_place(frame, place);
    if (line != "??") frame.function = readable_function(line, frame.file);
    current->push_back(frame);
  }
  return found;
}

void Symbolizer::want(const CodeAddress& address) {
  if (!address.module.empty() && !python_frame(address))
    wanted_[address.module].insert(address.offset);
}

void Symbolizer::resolve(std::vector<std::string>& notes) {
  if (wanted_.empty()) return;
  const std::string tool = find_in_path("addr2line");
  if (tool.empty()) {
    notes.emplace_back(
        "addr2line was not found (package binutils); call sites are shown as module and offset");
    return;
  }
  for (const auto& [module, offsets] : wanted_) {
    const bool is_left_out = modules_ == Modules::users && is_mpi_module(module);
    if (is_left_out || !std::filesystem::is_regular_file(module)) continue;
    std::string input;
    for (const std::uint64_t offset : offsets) input += fmt::format("{:#x}\n", offset);
    try {
      const CommandResult result =
          run_command({tool, "-a", "-f", "-C", "-i", "-e", module}, kLimit, input);
      if (result.timed_out) {
        notes.push_back(fmt::format(
            "addr2line took more than {} for {}; its call sites are "
            "shown as module and offset",
            format_seconds(static_cast<double>(kLimit.count()), Zeros::dropped), module));
        continue;
      }
      auto found = parse_addr2line(result.out, module);
      const bool lines_missing = std::any_of(
          found.begin(), found.end(), [](const auto& one) { return is_without_line(one.second); });
      if (lines_missing) {
        if (const FunctionExtents functions = functions_of(module); !functions.empty()) {
          clear_wrong_names(functions, found);
        }
      }
      for (auto& [offset, frames] : found) named_[{module, offset}] = std::move(frames);
    } catch (const Error& error) {
      notes.push_back(fmt::format("cannot name the call sites of {} ({})", module, error.what()));
    }
  }
  wanted_.clear();
}

std::vector<Frame> Symbolizer::frames(const CodeAddress& address) const {
  if (const std::optional<Frame> python = python_frame(address)) return {*python};
  const auto found = named_.find({address.module, address.offset});
  if (found != named_.end() && !found->second.empty()) return found->second;
  return {bare_frame(address.module, address.offset)};
}

std::vector<Frame> Symbolizer::user_frames(const Site& site) const {
  const bool has_python = std::ranges::any_of(
      site.frames, [](const CodeAddress& at) { return python_frame(at).has_value(); });
  std::vector<Frame> all;
  std::vector<Frame> users;
  for (const CodeAddress& address : site.frames) {
    for (Frame& frame : frames(address)) {
      const bool is_glue =
          has_python && is_python_glue(frame.module.empty() ? frame.file : frame.module);
      const bool is_users =
          !is_glue && !is_mpi_module(frame.module) && !is_openmp_runtime(frame.module);
      if (is_users && !starts_program(frame.function)) users.push_back(frame);
      all.push_back(std::move(frame));
    }
  }
  // Without lines, the frames of mpi4py and of the interpreter say nothing.
  if (!has_python && !users.empty() && is_python_glue(users.front().module)) {
    return {{"", "", 0, users.front().module, users.front().offset}};
  }
  // Frames of the C library around main help nobody.
  while (users.size() > 1 && users.back().module.find("/libc.so") != std::string::npos) {
    users.pop_back();
  }
  return users.empty() ? all : users;
}

}  // namespace plait::trace
