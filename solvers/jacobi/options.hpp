// SPDX-License-Identifier: BSD-3-Clause
// The command line of plait-jacobi.
#pragma once

#include <string>

#include "grid.hpp"

namespace plait::jacobi {

/// How new values are stored.
enum class Stores { automatic, cached, streaming };

/// What the user asked for.
struct Options {
  Triple size{256, 256, 256};
  Triple ranks{0, 0, 0};  ///< 0: MPI_Dims_create chooses
  int steps = 100;
  double until = 0.0;  ///< stop when the largest change of a step is at most this; 0: never
  Stores stores = Stores::automatic;
  bool check = false;
  bool bound = false;
  bool help = false;
};

/// The text of --help.
std::string help_text();

/// @throws std::invalid_argument with one line that says what is wrong and what is accepted
Options parse_options(int argc, char** argv);

}  // namespace plait::jacobi
