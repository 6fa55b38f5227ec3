// SPDX-License-Identifier: BSD-3-Clause
// Variables with which an MPI library takes Plait's transport.
#include "run/transport_variables.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace plait::run {
namespace {

std::map<std::string, std::string> variables_with(const std::map<std::string, std::string>& set) {
  const Assignments assignments =
      transport_variables("orq", "/opt/plait", true, [&](const std::string& name) {
        const auto found = set.find(name);
        return found == set.end() ? std::string() : found->second;
      });
  return {assignments.begin(), assignments.end()};
}

TEST(TransportVariables, OfferItToEveryMpiLibrary) {
  const auto variables = variables_with({});
  EXPECT_EQ(variables.at("PLAIT_TRANSPORT"), "orq");
  EXPECT_EQ(variables.at("FI_PROVIDER_PATH"), "/opt/plait");
  EXPECT_EQ(variables.at("OMPI_MCA_pml"), "cm,ob1");
  EXPECT_EQ(variables.at("OMPI_MCA_mtl_ofi_provider_include"), "plait");
  EXPECT_EQ(variables.at("MPIR_CVAR_CH4_NETMOD"), "ofi");
  EXPECT_EQ(variables.at("I_MPI_FABRICS"), "ofi");
}

TEST(TransportVariables, OfTheUserStay) {
  const auto variables = variables_with({{"OMPI_MCA_pml", "ob1"},
                                         {"FI_PROVIDER_PATH", "/own"},
                                         {"OMPI_MCA_mpi_yield_when_idle", "1"}});
  EXPECT_EQ(variables.count("OMPI_MCA_pml"), 0u);
  EXPECT_EQ(variables.at("FI_PROVIDER_PATH"), "/opt/plait:/own");
  EXPECT_EQ(variables.at("OMPI_MCA_mpi_yield_when_idle"), "0");
  const std::string undo = "," + variables.at("PLAIT_TRANSPORT_UNDO") + ",";
  EXPECT_NE(undo.find(",OMPI_MCA_mpi_yield_when_idle=1,"), std::string::npos) << undo;
  EXPECT_NE(undo.find(",FI_PROVIDER_PATH=/own,"), std::string::npos) << undo;
  EXPECT_NE(undo.find(",FI_PROVIDER,"), std::string::npos) << undo;
  EXPECT_EQ(undo.find("OMPI_MCA_pml"), std::string::npos) << undo;
}

}  // namespace
}  // namespace plait::run
