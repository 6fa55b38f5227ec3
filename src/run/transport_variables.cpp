// SPDX-License-Identifier: BSD-3-Clause
// Variables with which an MPI library takes Plait's transport.
#include "run/transport_variables.hpp"

namespace plait::run {
namespace {

constexpr const char* kYieldWhenIdle = "OMPI_MCA_mpi_yield_when_idle";
constexpr const char* kProviderPath = "FI_PROVIDER_PATH";

/// How the MPI libraries are given a provider.
const Assignments kChoice{
    {"FI_PROVIDER", "plait"},
    // Open MPI. ob1 is its own, which it takes where the transport is not offered.
    {"OMPI_MCA_pml", "cm,ob1"},
    {"OMPI_MCA_mtl", "ofi"},
    {"OMPI_MCA_mtl_ofi_provider_include", "plait"},          // 4.1
    {"OMPI_MCA_opal_common_ofi_provider_include", "plait"},  // 5.0
    {"OMPI_MCA_btl", "^ofi"},
    // MPICH: its network, also between the ranks of a node.
    {"MPIR_CVAR_CH4_NETMOD", "ofi"},
    {"MPIR_CVAR_NOLOCAL", "1"},
    // Intel MPI.
    {"I_MPI_FABRICS", "ofi"},
};

}  // namespace

std::filesystem::path transport_object(const std::filesystem::path& folder) {
  return folder / "libplait-fi.so";
}

Assignments transport_variables(const std::string& design, const std::filesystem::path& folder,
                                bool waits,
                                const std::function<std::string(const std::string&)>& value) {
  Assignments result;
  std::string undo;  // names, those with a value before also with that
  const auto set = [&](const std::string& name, const std::string& text) {
    const std::string before = value(name);
    result.emplace_back(name, text);
    undo += (undo.empty() ? "" : ",") + name + (before.empty() ? "" : "=" + before);
  };
  set("PLAIT_TRANSPORT", design);
  for (const auto& [name, text] : kChoice) {
    if (value(name).empty()) set(name, text);
  }
  const std::string path = value(kProviderPath);
  set(kProviderPath, folder.string() + (path.empty() ? "" : ":" + path));
  // Otherwise MPI libraries yield on each poll where ranks share cores, and no rank ever sleeps.
  set(kYieldWhenIdle, "0");
  if (waits) set("PLAIT_WAIT", "spin");
  result.emplace_back("PLAIT_TRANSPORT_UNDO", undo);
  return result;
}

}  // namespace plait::run
