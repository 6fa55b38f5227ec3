// SPDX-License-Identifier: BSD-3-Clause
// Reads the tables of MPI functions, for the build tools that write code from them.
//
// A table has one entry per function; an indented line continues the one before:
//
//   kind[*] families[+] Name(type name, ...)
//
// kind      what the call says about communication; see preload/wrappers/generate_wrappers.cpp
// *         a collective operation
// families  the ABIs whose libraries may have the function: o Open MPI, m MPICH and Intel MPI,
//           a standard ABI
// +         there is also a large-count function Name_c, in which the type Count is MPI_Count and
//           not int; Open MPI has these only from version 6 on
//
// Callbacks are declared as void*, and arrays of triples as int*.
#pragma once

#include <string>
#include <vector>

namespace plait::abi {

struct Parameter {
  std::string type, name;
};

struct Function {
  std::string kind, name;
  bool collective = false, large = false;
  std::vector<Parameter> parameters;
};

/// Ends the build tool with a message.
[[noreturn]] void fail(const std::string& where, const std::string& what);

/// Reads the tables that a tool's command line names: <family> <table>...
std::vector<Function> read_tables(int argc, char** argv);

/// The C type of a function's parameter: Count stands for int or MPI_Count.
std::string argument_type(const Function& function, const std::string& type);

}  // namespace plait::abi
