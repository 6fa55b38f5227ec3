// SPDX-License-Identifier: BSD-3-Clause
// Which setting of its MPI, meant to make messages move while it computes, a run had.
#include "report/progress_setting.hpp"

#include <algorithm>
#include <array>

namespace plait::report {
namespace {

/// A setting of an MPI, and by which names it is given.
struct Setting {
  const char* library;  ///< how the library's short name begins
  const char* typed;    ///< before the value
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

/// What a variable was set to, by the command (NAME=VALUE, or NAME and then VALUE) before the
/// environment; empty: it was not.
std::string value_of(const RunFile& run, const std::string& name) {
  for (auto word = run.command.begin(); word != run.command.end(); ++word) {
    if (word->starts_with(name + "=")) return word->substr(name.size() + 1);
    if (*word == name && word + 1 != run.command.end()) return *(word + 1);
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
      if (is_on(value)) return setting.typed + value;
    }
  }
  return "";
}

}  // namespace plait::report
