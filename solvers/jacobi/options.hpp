// SPDX-License-Identifier: BSD-3-Clause
// What the user of plait-jacobi asks for.
#pragma once

#include <optional>
#include <string>

#include "boundary.hpp"
#include "plait/cartesian_grid.hpp"
#include "plait/environment.hpp"
#include "plait/halo.hpp"
#include "plait/jacobi_kernel.hpp"
#include "plait/schedule.hpp"
#include "problem.hpp"

namespace plait::jacobi {

/// In which order a step exchanges and computes.
enum class Order {
  step,     ///< the exchange first (Stepper::step)
  advance,  ///< the boundary first (Stepper::advance)
};

/// A series of runs in one launch.
enum class Scaling { none, strong, weak };

struct Options {
  // The grid and how it is cut.
  Int3 cells{256, 256, 256};
  bool cells_given = false;
  bool cells_are_per_rank = false;
  CartesianGrid::Options grid;  ///< its periodic axes follow `boundary`
  int threads = 1;

  // The problem.
  ProblemKind problem = ProblemKind::laplace;
  bool problem_given = false;
  Boundary boundary;
  bool boundary_given = false;
  double source = 0.0;
  std::string source_file;  ///< empty: `source`
  std::string initial;      ///< "noise", "zero" or a file; empty: as the problem suggests

  // The iteration.
  int steps = 100;
  double until = 0.0;  ///< stop when no cell changes by more; 0: never
  int check_every = 10;
  std::string checkpoint;
  int checkpoint_every = 0;  ///< 0: after the last step only
  std::string restart;

  // How it runs.
  Schedule schedule;
  Order order = Order::step;
  Transport transport = Transport::automatic;
  Packing packing = Packing::automatic;
  int temporal = 1;  ///< sweeps that one pass through memory makes
  Stores stores = Stores::automatic;
  ThreadLevel thread_level = ThreadLevel::serialized;

  // What comes out.
  bool bound = false;
  bool check = false;
  bool check_all = false;
  bool explain = false;
  bool progress = false;
  Scaling scaling = Scaling::none;
  std::string output;
  std::string json;
};

/// The command line, read before MPI starts, as it says with which thread level.
struct CommandLine {
  Options options;
  std::string text;            ///< to print instead of solving: help, version, the list of problems
  std::optional<Error> error;  ///< why it cannot be used
};

/// Local; the same on every rank. Never throws for what the user wrote.
CommandLine read_command_line(int argc, char** argv);

}  // namespace plait::jacobi
