// SPDX-License-Identifier: BSD-3-Clause
// Variables with which an MPI library takes Plait's transport.
#include "run/transport_variables.hpp"

namespace plait::run {

Assignments transport_variables(const std::string& design, MpiAbi abi,
                                const std::filesystem::path& provider,
                                const std::function<std::string(const std::string&)>& value) {
  const std::string before = value("FI_PROVIDER_PATH");
  Assignments result{{"PLAIT_TRANSPORT", design},
                     {"FI_PROVIDER_PATH", provider.string() + (before.empty() ? "" : ":" + before)}};
  if (abi != MpiAbi::openmpi) return result;
  const Assignments wanted{
      // ob1 is Open MPI's own, which it takes where the transport is not offered.
      {"OMPI_MCA_pml", "cm,ob1"},
      {"OMPI_MCA_mtl", "ofi"},
      {"OMPI_MCA_mtl_ofi_provider_include", "plait"},         // 4.1
      {"OMPI_MCA_opal_common_ofi_provider_include", "plait"},  // 5.0
      {"OMPI_MCA_btl", "^ofi"},
  };
  for (const auto& [name, text] : wanted) {
    if (value(name).empty()) result.emplace_back(name, text);
  }
  // Otherwise Open MPI yields on each poll where ranks share cores, so that no rank ever sleeps.
  result.emplace_back("OMPI_MCA_mpi_yield_when_idle", "0");
  return result;
}

}  // namespace plait::run
