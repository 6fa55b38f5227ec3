// SPDX-License-Identifier: BSD-3-Clause
// The named ways to do a step that are compared.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "by_hand.hpp"
#include "plait/halo.hpp"
#include "plait/stepper.hpp"

namespace plait::bench {

/// One way to do a step.
struct Contender {
  std::string name;
  std::function<void()> step;
  std::unique_ptr<Stepper> stepper;  ///< of a schedule; null: by hand
  std::string refused;               ///< why it cannot run here; empty if it can
};

/// Creates contenders by name: "hand", "hand_nonblocking", "exchange", "compute", "compute_one", or
/// a schedule in the syntax of Schedule::parse (with ";" for commas). Collective. The result keeps
/// references to all arguments.
std::vector<Contender> make_contenders(const std::vector<std::string>& names, ByHand& hand,
                                       Halo& halo, StepWork& work);

/// Runs steps until an automatic schedule has settled. Collective.
/// @return the number of steps
int settle(Contender& contender);

/// The options for timing contenders.
struct Timing {
  double budget_s = 4;        ///< no round begins later, except to make turns precise
  int rounds = 40;            ///< at most
  bool single_steps = false;  ///< a sample is a step, else the mean of a turn
};

/// The times of the steps of a contender.
struct Taken {
  std::vector<double> samples;  ///< seconds per step, of the slowest rank
  double steps = 0;             ///< in all turns
  double seconds = 0;           ///< of all steps, of the slowest rank in each turn
  double cpu_seconds = 0;       ///< of all threads of the rank that takes most
};

/// Times the contenders in rounds in which each has a turn of several steps. Each round starts with
/// another contender. Collective.
std::vector<Taken> interleaved(std::vector<Contender>& contenders, MPI_Comm comm,
                               const Timing& timing);

}  // namespace plait::bench
