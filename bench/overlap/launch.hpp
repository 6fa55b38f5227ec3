// SPDX-License-Identifier: BSD-3-Clause
// Starts the measured program on the two emulated nodes under one MPI library and reads its output.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../nodes.hpp"

namespace plait::bench {

enum class Family { openmpi4, openmpi5, mpich, intel };

/// An MPI library and the measured program for its ABI.
struct Library {
  std::string name;
  Family family;
  std::string launcher;
  std::string program;
  std::string library_path;  ///< prepended to LD_LIBRARY_PATH; may be empty
};

struct Prediction {
  double s = 0, low_s = 0, high_s = 0;
};

/// Means over all steps, in seconds.
struct Mean {
  double s = 0, cpu_s = 0;
};

/// The output of one run of the measured program by contender, in seconds per step.
struct Measured {
  std::map<std::string, std::vector<double>> samples;
  std::map<std::string, Mean> means;
  std::map<std::string, Prediction> predicted;
  std::map<std::string, std::string> refused;
  std::string settled;  ///< the choice of automatic
  std::string explained;
};

/// A job: the arguments of the measured program (steps.cpp) and its environment.
struct Job {
  bool asleep = false;
  int cells = 120;
  int threads = 1;
  double budget_s = 4;
  int rounds = 40;
  bool single_steps = false;  ///< a sample is a step, else the mean of several
  std::vector<std::string> contenders;
  std::vector<std::pair<std::string, std::string>> environment{};
};

/// Runs a job with one rank on each of two nodes.
/// @throws Error with the last output of the program when it fails
Measured run_on_nodes(const Nodes& nodes, const Library& library, const Job& job);

}  // namespace plait::bench
