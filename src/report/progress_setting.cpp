// SPDX-License-Identifier: BSD-3-Clause
// The asynchronous progress setting of a run's MPI.
#include "report/progress_setting.hpp"

#include <algorithm>
#include <array>

namespace plait::report {
namespace {

/// The setting of one MPI library and the variables that set it.
struct Setting {
  const char* library;  ///< begin of the library's short name
  const char* prefix;   ///< of the setting as printed, before the value
  std::array<const char*, 2> names;
};
constexpr std::array<Setting, 3> kSettings{
    Setting{"Open MPI",
            "--mca btl_tcp_progress_thread ",
            {"OMPI_MCA_btl_tcp_progress_thread", "btl_tcp_progress_thread"}},
    Setting{
        "MPICH", "MPIR_CVAR_ASYNC_PROGRESS=", {"MPIR_CVAR_ASYNC_PROGRESS", "MPICH_ASYNC_PROGRESS"}},
    Setting{"Intel MPI", "I_MPI_ASYNC_PROGRESS=", {"I_MPI_ASYNC_PROGRESS", "I_MPI_ASYNC_PROGRESS"}},
};

/// The value of a variable: from the command (NAME=VALUE, or NAME VALUE), else from the
/// environment; empty: not set.
std::string value_of(const RunFile& run, const std::string& name) {
  for (auto at = run.command.begin(); at != run.command.end(); ++at) {
    if (at->starts_with(name + "=")) return at->substr(name.size() + 1);
    if (*at == name && at + 1 != run.command.end()) return *(at + 1);
  }
  const auto found = run.environment.find(name);
  return found != run.environment.end() ? found->second : "";
}

bool is_on(const std::string& value) {
  constexpr std::array<const char*, 4> kOff{"", "0", "no", "false"};
  return std::ranges::find(kOff, value) == kOff.end();
}

}  // namespace

std::string progress_setting(const RunFile& run, const std::string& library) {
  for (const Setting& setting : kSettings) {
    if (!library.starts_with(setting.library)) continue;
    for (const char* name : setting.names) {
      const std::string value = value_of(run, name);
      if (is_on(value)) return setting.prefix + value;
    }
  }
  return "";
}

}  // namespace plait::report
