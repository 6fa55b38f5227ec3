// SPDX-License-Identifier: BSD-3-Clause
// What the frames of a sampled stack are: the program's own, or of runtimes around it.
#include "samples/frame_kind.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "trace/python_frame.hpp"

namespace plait::samples {
namespace {

bool is_system_module(std::string_view name) {
  constexpr std::array<std::string_view, 14> kStarts{
      "libc.so", "libc-",      "libm.so",  "libm-", "libpthread", "ld-linux",    "ld-2",
      "librt",   "libstdc++.", "libgcc_s", "libdl", "linux-vdso", "libgfortran", "libquadmath"};
  return std::ranges::any_of(kStarts, [&](auto start) { return name.starts_with(start); });
}

bool starts_thread(std::string_view function) {
  constexpr std::array<std::string_view, 6> kNames{"start_thread", "clone",    "clone3",
                                                   "__clone",      "__clone3", "thread_start"};
  return std::ranges::find(kNames, function) != kNames.end();
}

}  // namespace

FrameKind kind_of(const trace::Frame& frame) {
  const bool is_python = frame.module.empty() && !frame.file.empty();
  if (trace::is_python_glue(is_python ? frame.file : frame.module)) return FrameKind::start;
  if (is_python) return FrameKind::python;
  const std::string name = std::filesystem::path(frame.module).filename().string();
  if (name.starts_with("libplait-")) {
    return mpi_function(frame.function).empty() ? FrameKind::plait : FrameKind::mpi;
  }
  if (trace::is_mpi_module(frame.module)) return FrameKind::mpi;
  if (trace::is_openmp_runtime(frame.module)) return FrameKind::openmp;
  if (trace::starts_program(frame.function)) return FrameKind::start;
  if (!is_system_module(name)) return FrameKind::code;
  return starts_thread(frame.function) ? FrameKind::start : FrameKind::system;
}

const char* kind_name(FrameKind kind) {
  switch (kind) {
    case FrameKind::mpi:
      return "mpi";
    case FrameKind::openmp:
      return "openmp";
    case FrameKind::python:
      return "python";
    case FrameKind::system:
    case FrameKind::start:
    case FrameKind::plait:
      return "system";
    case FrameKind::code:
      break;
  }
  return "code";
}

bool is_installed(const std::string& module) {
  return module.starts_with("/lib") || module.starts_with("/usr/lib");
}

std::string mpi_function(const std::string& function) {
  const std::string_view name =
      std::string_view(function).substr(function.starts_with("PMPI_") ? 1 : 0);
  const bool is_mpi = name.size() > 4 && name.starts_with("MPI_") &&
                      std::isupper(static_cast<unsigned char>(name[4])) != 0;
  return is_mpi ? std::string(name) : "";
}

}  // namespace plait::samples
