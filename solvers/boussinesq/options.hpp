// SPDX-License-Identifier: BSD-3-Clause
// The options of plait-boussinesq.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "flow.hpp"
#include "initial.hpp"
#include "picture.hpp"

namespace plait::boussinesq {

/// How the flow begins; the states are added up.
struct InitialOptions {
  bool taylor_green = false;
  std::vector<VortexPair> pairs;
  double wave_amplitude = 0;
  int wave_number = 1;
  double turbulence = 0;  ///< root mean square of |u|
  double turbulence_peak = 8;
  std::uint64_t seed = 1;
  std::vector<std::array<double, 2>> current;  ///< of each plane; empty: none
};

/// Ranks times threads.
struct RunSize {
  int ranks = 1;
  int threads = 1;
};

struct Options {
  FlowSettings flow;
  std::string problem = "taylor_green";  ///< as given, for reports
  InitialOptions initial;

  std::int64_t steps = 100;
  double until = std::numeric_limits<double>::infinity();
  int every = 10;  ///< steps between two lines of measures; 0: first and last only
  std::string checkpoint;
  int checkpoint_every = 0;
  std::string restart;

  int threads = 1;
  std::string schedule;   ///< empty: PLAIT_SCHEDULE
  std::string transport;  ///< empty: automatic
  int chunks = 4;
  std::array<int, 2> pencils{0, 0};
  bool fftw = false;          ///< for transforms
  bool paper_layout = false;  ///< ThreeSlabs instead of Ranks

  bool bound = false;
  bool check = false;
  bool check_all = false;
  bool scaling = false;
  std::vector<RunSize> hybrid;
  bool spectrum = false;
  bool vortices = false;
  bool progress = false;
  std::string output, picture, json;
  std::optional<Slice> slice;  ///< of the picture
};

/// Reads the command line; reports invalid input in `error`. The same on every rank.
CommandLine<Options> read_command_line(int argc, char** argv);

}  // namespace plait::boussinesq
