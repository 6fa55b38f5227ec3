// SPDX-License-Identifier: BSD-3-Clause
// The command line of plait-cg.
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"
#include "nas_run.hpp"
#include "system_run.hpp"

namespace plait::cg {

struct Options {
  NasOptions nas;        ///< if no matrix is given
  SystemOptions system;  ///< with a matrix; then its file is set
  bool all_models = false;
  bool bandwidth = false;
  bool compare_kernels = false;
  std::string json;

  [[nodiscard]] bool from_file() const { return !system.matrix.empty(); }
};

/// Reads the command line; reports invalid input in `error`. Local; the same on every rank.
CommandLine<Options> read_command_line(int argc, char** argv);

/// The models that the options ask for, in order.
std::vector<Model> models_of(const Options& options);

}  // namespace plait::cg
