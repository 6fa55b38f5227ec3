// SPDX-License-Identifier: BSD-3-Clause
// Writes the settings of a plan as what a shell or an MPI library reads.
#include "tune/emit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_file.hpp"
#include "base/shell_word.hpp"
#include "plait/error.hpp"

namespace plait::tune {
namespace {

namespace fs = std::filesystem;
using launcher::LauncherKind;

constexpr std::string_view kOpenPrefix = "OMPI_MCA_";

bool has(const std::vector<std::string>& forms, const char* form) {
  return std::find(forms.begin(), forms.end(), form) != forms.end();
}

}  // namespace

void check_forms(const std::vector<std::string>& forms, LauncherKind kind) {
  const bool open = kind == LauncherKind::openmpi4 || kind == LauncherKind::openmpi5;
  if (has(forms, "mca-params") && !open) {
    throw Error("--emit mca-params", "only Open MPI reads such a file", "use --emit env");
  }
  if (has(forms, "rules") && !open && kind != LauncherKind::mpich) {
    throw Error("--emit rules", "only Open MPI and MPICH read rules from a file",
                "use --emit env, which has the algorithms");
  }
}

std::vector<std::pair<std::string, std::string>> emit(const launcher::Plan& plan,
                                                      const std::vector<std::string>& forms,
                                                      const fs::path& folder) {
  std::vector<std::pair<std::string, std::string>> written;
  if (forms.empty()) return written;
  const auto environment = launcher::environment_of(plan, fs::absolute(folder));
  const auto write = [&](const std::string& label, const std::string& name,
                         const std::string& text) {
    write_text_file(folder / name, text);
    written.emplace_back(label, (folder / name).string());
  };
  std::string heading = "# " + plan.name + "\n";
  if (!plan.wait.empty() || !plan.transport.empty()) {
    heading += fmt::format("# No variable sets these: plait run{}{} -- ...\n",
                           plan.wait.empty() ? "" : " --wait " + plan.wait,
                           plan.transport.empty() ? "" : " --transport=" + plan.transport);
  }
  // The other forms name these files.
  for (const auto& [name, content] : plan.files) write("Rules:", name, content);
  if (has(forms, "env")) {
    std::string text = heading;
    for (const auto& [name, value] : environment) {
      text += fmt::format("export {}={}\n", name, shell_word(value));
    }
    write("Shell:", "settings.sh", text);
  }
  if (has(forms, "mca-params")) {
    std::string text = heading;
    for (const auto& [name, value] : environment) {
      if (name.starts_with(kOpenPrefix)) {
        text += fmt::format("{} = {}\n", name.substr(kOpenPrefix.size()), value);
      }
    }
    write("MCA:", "mca-params.conf", text);
  }
  return written;
}

}  // namespace plait::tune
