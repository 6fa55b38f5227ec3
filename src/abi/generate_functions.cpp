// SPDX-License-Identifier: BSD-3-Clause
// Build tool: writes the types of the MPI functions of one ABI.
//
//   generate_functions <family> <table>... > mpi_functions.inc      family: o, m or a
//
// The result has one line per function: PLAIT_MPI_FUNCTION(Name, type), with the names of the
// parameters in the type.
#include <cstdio>

#include "abi/function_table.hpp"

int main(int argc, char** argv) {
  std::printf("// Written by generate_functions; do not edit.\n");
  for (const auto& function : plait::abi::read_tables(argc, argv)) {
    std::string parameters;
    for (const auto& [type, name] : function.parameters) {
      if (!parameters.empty()) parameters += ", ";
      parameters += plait::abi::argument_type(function, type);
      parameters += ' ';
      parameters += name;
    }
    std::printf("PLAIT_MPI_FUNCTION(%s, int(%s))\n", function.name.c_str(), parameters.c_str());
  }
}
