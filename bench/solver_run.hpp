// SPDX-License-Identifier: BSD-3-Clause
// Runs Plait's solvers for benchmarks, and finds numbers in what they print.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "nodes.hpp"
#include "overlap/ratio.hpp"

namespace plait::bench {

/// A solver and the launcher of its MPI.
struct Solver {
  std::string launcher;
  std::string program;
  bool asks_to_share = true;  ///< the launcher must be asked for more ranks than cores (Open MPI)
};

/// Runs the solver on this machine. @return its standard output. @throws Error if it fails
std::string run_solver(const Solver& solver, int ranks, const std::vector<std::string>& options,
                       std::chrono::minutes limit = std::chrono::minutes(10));

/// The number that follows `after`. @throws Error if there is none
double number_after(const std::string& output, const std::string& after);

/// A solver's options for one parallel model, and its times.
struct SolverModel {
  std::string name;
  int ranks = 1;
  std::vector<std::string> options;
  std::vector<std::string> of_launcher{};  ///< options of the launcher
  std::vector<std::string> outputs{};      ///< of each round
  std::vector<double> seconds{};
};

/// Runs all models by turns on emulated nodes, with the threads that their options ask for, and
/// adds their outputs and times. Prints the times, and their ratios to the last model. Each output
/// must have a line "time SECONDS s".
void run_by_turns(const Nodes& nodes, const Solver& solver, std::vector<SolverModel>& models,
                  int rounds);

}  // namespace plait::bench
