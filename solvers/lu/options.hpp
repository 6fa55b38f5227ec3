// SPDX-License-Identifier: BSD-3-Clause
// The command line of plait-lu.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plait/error.hpp"
#include "solve.hpp"

namespace plait::lu {

struct Options {
  RunOptions run;        ///< of the command line; P is 0 if the grid is chosen
  std::string hpl_file;  ///< HPL.dat; empty: none
  bool all_schedules = false;
  bool dgemm = false;
  std::string json;
};

struct CommandLine {
  Options options;
  std::string text;            ///< text to print instead of solving: help, version
  std::optional<Error> error;  ///< why the command line is invalid
};

/// Reads the command line; reports invalid input in `error`. Local; the same on every rank.
CommandLine read_command_line(int argc, char** argv);

/// The runs to make on `ranks` ranks, in the order of HPL, each under all its schedules.
/// @throws Error if HPL.dat cannot be used or a grid does not fit
std::vector<std::vector<RunOptions>> runs_of(const Options& options, int ranks);

}  // namespace plait::lu
