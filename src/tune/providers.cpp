// SPDX-License-Identifier: BSD-3-Clause
// Asks libfabric's tool which providers serve messages of MPI on this node.
#include "tune/providers.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/environment.hpp"
#include "base/split.hpp"
#include "base/subprocess.hpp"
#include "plait/error.hpp"

namespace plait::tune {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kLimit(30);
constexpr const char* kFallback = "tcp";

/// The folder above that of a launcher; empty: unknown.
fs::path prefix_of(const launcher::Launcher& launcher) {
  return fs::path(launcher.path).parent_path().parent_path();
}

/// The first of these files that exists below a folder; empty: none.
std::string first_file(const fs::path& prefix, std::initializer_list<const char*> names) {
  std::error_code none;
  for (const char* name : names) {
    if (!prefix.empty() && fs::exists(prefix / name, none)) return (prefix / name).string();
  }
  return "";
}

/// The text after "label:", without blanks around it; empty: the line has another label.
std::string value_after(const std::string& line, std::string_view label) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == line.npos || line.compare(begin, label.size(), label) != 0) return "";
  const std::size_t from = line.find_first_not_of(" \t", begin + label.size());
  return from == line.npos ? "" : line.substr(from, line.find_last_not_of(" \t\r") + 1 - from);
}

/// "tcp" of "tcp;ofi_rxm": a layer above it follows from what MPI asks for.
std::string without_layers(const std::string& provider) {
  return provider.substr(0, provider.find(';'));
}

std::optional<std::string> output_of(const std::vector<std::string>& command,
                                     const Assignments& with) {
  try {
    CommandResult result = run_command(command, kLimit, {}, with);
    if (result.exit_code == 0) return std::move(result.out);
  } catch (const Error&) {  // it cannot be started
  }
  return std::nullopt;
}

}  // namespace

std::string with_fallback(const std::vector<std::string>& preferred, const std::string& name) {
  const auto own = std::ranges::find(preferred, name);
  const bool is_first = std::find(own, preferred.end(), kFallback) != preferred.end();
  return name == kFallback || !is_first ? name : name + "," + kFallback;
}

std::string first_provider(const std::string& list) {
  return list.substr(0, list.find(','));
}

std::string provider_report(launcher::LauncherKind kind) {
  switch (kind) {
    case launcher::LauncherKind::openmpi4:
    case launcher::LauncherKind::openmpi5:
      return "OMPI_MCA_mtl_ofi_verbose=1";
    case launcher::LauncherKind::mpich:
      return "MPIR_CVAR_DEBUG_SUMMARY=1";
    case launcher::LauncherKind::intel:
      return "I_MPI_DEBUG=2";
    default:
      return "";
  }
}

std::string provider_used(const std::string& output) {
  for (const std::string_view label : {"libfabric provider: ", "mtl:ofi:provider: "}) {
    const std::size_t at = output.find(label);
    if (at == output.npos) continue;
    const std::size_t begin = at + label.size();
    return without_layers(output.substr(begin, output.find_first_of(" \r\n", begin) - begin));
  }
  return "";
}

std::vector<Provider> parse_fi_info(const std::string& text) {
  std::vector<Provider> providers;
  std::istringstream lines(text);
  Provider* last = nullptr;
  for (std::string line; std::getline(lines, line);) {
    std::string name = value_after(line, "provider:");
    if (!name.empty()) {
      name = without_layers(name);
      auto known = std::ranges::find(providers, name, &Provider::name);
      if (known == providers.end()) known = providers.insert(known, {name, false});
      last = &*known;
    }
    const std::string domain = value_after(line, "domain:");
    if (last == nullptr || domain.empty()) continue;
    if (domain != "lo" && last->name != "shm") last->reaches_others = true;
  }
  return providers;
}

std::string libfabric_folder(const launcher::Launcher& launcher) {
  const std::string file = first_file(
      prefix_of(launcher),
      {"opt/mpi/libfabric/lib/libfabric.so.1", "libfabric/lib/libfabric.so.1", "lib/libfabric.so.1",
       "lib/mpich/libfabric.so.1", "lib/openmpi/libfabric.so.1", "lib64/libfabric.so.1"});
  return file.empty() ? "" : fs::path(file).parent_path().string();
}

std::string provider_tool(const launcher::Launcher& launcher) {
  // bin/fi_info of Intel MPI is a script that needs variables.
  const std::string own =
      first_file(prefix_of(launcher), {"opt/mpi/libfabric/bin/fi_info", "libfabric/bin/fi_info",
                                       "bin/libfabric/fi_info", "bin/fi_info"});
  return own.empty() ? find_in_path("fi_info") : own;
}

std::optional<std::vector<Provider>> ask_providers(const launcher::Launcher& launcher) {
  const std::string tool = provider_tool(launcher);
  if (tool.empty()) return std::nullopt;
  Assignments variables;
  const std::string folder = libfabric_folder(launcher);
  if (!folder.empty()) variables.emplace_back("LD_LIBRARY_PATH", folder);
  const auto text = output_of({tool, "-t", "FI_EP_RDM", "-c", "FI_TAGGED"}, variables);
  if (!text) return std::nullopt;
  return parse_fi_info(*text);
}

std::vector<std::string> parse_mpichversion(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::string device = value_after(line, "MPICH Device:");
    if (!device.starts_with("ch4:")) continue;
    device.erase(0, 4);
    std::ranges::replace(device, ',', ' ');
    return split_at_blanks(device);
  }
  return {};
}

std::vector<std::string> ask_network_modules(const launcher::Launcher& launcher) {
  const std::string tool = first_file(prefix_of(launcher), {"bin/mpichversion"});
  if (tool.empty()) return {};
  return parse_mpichversion(output_of({tool}, {}).value_or(""));
}

}  // namespace plait::tune
