// SPDX-License-Identifier: BSD-3-Clause
// Variables with which an MPI library takes Plait's transport.
#include "run/transport_variables.hpp"

#include <fmt/format.h>

#include "plait/error.hpp"

namespace plait::run {
namespace {

constexpr const char* kYieldWhenIdle = "OMPI_MCA_mpi_yield_when_idle";
constexpr const char* kOtherBtl = "OMPI_MCA_btl";
constexpr const char* kProviderPath = "FI_PROVIDER_PATH";

/// How the MPI libraries are given a provider: all of them, or the MPI library would send messages
/// in a way that nobody has chosen.
const Assignments kChoice{
    {"FI_PROVIDER", "plait"},
    // Open MPI. ob1 is its own, which it takes where the transport is not offered.
    {"OMPI_MCA_pml", "cm,ob1"},
    {"OMPI_MCA_mtl", "ofi"},
    {"OMPI_MCA_mtl_ofi_provider_include", "plait"},          // 4.1
    {"OMPI_MCA_opal_common_ofi_provider_include", "plait"},  // 5.0
    // MPICH: its network, also between the ranks of a node.
    {"MPIR_CVAR_CH4_NETMOD", "ofi"},
    {"MPIR_CVAR_NOLOCAL", "1"},
    // Intel MPI.
    {"I_MPI_FABRICS", "ofi"},
};

/// For the list of what is taken back.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '%' || c == ',' || c == '=') {
      result += fmt::format("%{:02x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::filesystem::path transport_object(const std::filesystem::path& folder) {
  return folder / "libplait-fi.so";
}

void check_transport_variables(const std::function<std::string(const std::string&)>& value) {
  for (const auto& [name, text] : kChoice) {
    const std::string chosen = value(name);
    if (chosen.empty() || chosen == text) continue;
    throw Error(name + "=" + chosen, "chooses the way of the messages, as --transport does",
                "unset it, or run without --transport");
  }
}

Assignments transport_variables(const std::string& design, const std::filesystem::path& folder,
                                bool waits,
                                const std::function<std::string(const std::string&)>& value) {
  Assignments result;
  std::string undo;
  const auto set = [&](const std::string& name, const std::string& text, bool decides = false) {
    const std::string before = value(name);
    if (before == text) return;
    result.emplace_back(name, text);
    undo +=
        fmt::format("{}{}{}={}", undo.empty() ? "" : ",", decides ? "!" : "", name, escaped(text));
    if (!before.empty()) undo += "=" + escaped(before);
  };
  set("PLAIT_TRANSPORT", design);
  for (const auto& [name, text] : kChoice) set(name, text, true);
  if (value(kOtherBtl).empty()) set(kOtherBtl, "^ofi");
  const std::string path = value(kProviderPath);
  set(kProviderPath, folder.string() + (path.empty() ? "" : ":" + path), true);
  // Otherwise MPI libraries yield on each poll where ranks share cores, and no rank ever sleeps.
  set(kYieldWhenIdle, "0");
  if (waits) set("PLAIT_WAIT", "spin");
  result.emplace_back("PLAIT_TRANSPORT_UNDO", undo);
  return result;
}

}  // namespace plait::run
