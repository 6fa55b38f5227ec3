// SPDX-License-Identifier: BSD-3-Clause
// Variables with which an MPI library takes Plait's transport.
#include "run/transport_variables.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "plait/error.hpp"

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

TEST(TransportVariables, TellWhatIsTakenBack) {
  const auto variables = variables_with({{"OMPI_MCA_btl", "self,tcp"},
                                         {"FI_PROVIDER_PATH", "/own,50%=a"},
                                         {"OMPI_MCA_mpi_yield_when_idle", "1"}});
  EXPECT_EQ(variables.count("OMPI_MCA_btl"), 0u);
  EXPECT_EQ(variables.at("FI_PROVIDER_PATH"), "/opt/plait:/own,50%=a");
  EXPECT_EQ(variables.at("OMPI_MCA_mpi_yield_when_idle"), "0");
  const std::string undo = "," + variables.at("PLAIT_TRANSPORT_UNDO") + ",";
  for (const char* part :
       {",OMPI_MCA_mpi_yield_when_idle=0=1,", ",!FI_PROVIDER=plait,", ",!OMPI_MCA_pml=cm%2cob1,",
        ",!FI_PROVIDER_PATH=/opt/plait:/own%2c50%25%3da=/own%2c50%25%3da,"})
    EXPECT_NE(undo.find(part), std::string::npos) << part << " in " << undo;
  EXPECT_EQ(undo.find("OMPI_MCA_btl"), std::string::npos) << undo;
}

TEST(TransportVariables, AnotherChoiceOfTheUserIsRefused) {
  const auto check = [](const char* name, const char* text) {
    check_transport_variables([&](const std::string& asked) { return asked == name ? text : ""; });
  };
  EXPECT_NO_THROW(check("OMPI_MCA_btl", "self,tcp"));
  EXPECT_NO_THROW(check("FI_PROVIDER", "plait"));
  try {
    check("FI_PROVIDER", "tcp");
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("FI_PROVIDER=tcp: chooses the way"));
  }
}

}  // namespace
}  // namespace plait::run
