// SPDX-License-Identifier: BSD-3-Clause
// The command line of plait-lu.
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"
#include "solve.hpp"

namespace plait::lu {

struct Options {
  RunOptions run;        ///< of the command line; P is 0 if the grid is chosen
  std::string hpl_file;  ///< HPL.dat; empty: none
  bool all_schedules = false;
  bool dgemm = false;
  std::string json;
};

/// Reads the command line; reports invalid input in `error`. Local; the same on every rank.
CommandLine<Options> read_command_line(int argc, char** argv);

/// The runs to make on `ranks` ranks, in the order of HPL, each under all its schedules.
/// @throws Error if HPL.dat cannot be used or a grid does not fit
std::vector<std::vector<RunOptions>> runs_of(const Options& options, int ranks);

}  // namespace plait::lu
