// SPDX-License-Identifier: BSD-3-Clause
// The options of plait-jacobi.
#pragma once

#include <string>

#include "boundary.hpp"
#include "command_line.hpp"
#include "plait/cartesian_grid.hpp"
#include "plait/environment.hpp"
#include "plait/halo.hpp"
#include "plait/jacobi_kernel.hpp"
#include "plait/schedule.hpp"
#include "problem.hpp"

namespace plait::jacobi {

/// The order of exchange and computation in a step.
enum class Order {
  step,     ///< the exchange first (Stepper::step)
  advance,  ///< the boundary first (Stepper::advance)
};

/// The series of runs to make in one launch.
enum class Scaling { none, strong, weak };

/// The options of the command line.
struct Options {
  // The grid and its decomposition.
  Int3 cells{256, 256, 256};
  bool cells_given = false;
  bool cells_are_per_rank = false;
  CartesianGrid::Options grid;  ///< its periodic axes are set from `boundary`
  int threads = 1;

  // The problem.
  ProblemKind problem = ProblemKind::laplace;
  bool problem_given = false;
  Boundary boundary;
  bool boundary_given = false;
  double source = 0.0;
  std::string source_file;  ///< file with the right-hand side; empty: `source`
  std::string initial;      ///< "noise", "zero" or a file; empty: depends on the problem

  // The iteration.
  int steps = 100;
  double until = 0.0;  ///< stop once no cell changes by more; 0: never
  int check_every = 10;
  std::string checkpoint;
  int checkpoint_every = 0;  ///< 0: after the last step only
  std::string restart;

  // Execution.
  Schedule schedule;
  Order order = Order::step;
  Transport transport = Transport::automatic;
  Packing packing = Packing::automatic;
  int temporal = 1;  ///< sweeps per pass through memory
  Stores stores = Stores::automatic;
  ThreadLevel thread_level = ThreadLevel::serialized;

  // Results.
  bool bound = false;
  bool check = false;
  bool check_all = false;
  bool explain = false;
  bool progress = false;
  Scaling scaling = Scaling::none;
  std::string output;
  std::string json;
};

/// Reads the command line; reports invalid input in `error`. Local; the same on every rank.
CommandLine<Options> read_command_line(int argc, char** argv);

}  // namespace plait::jacobi
