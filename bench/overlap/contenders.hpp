// SPDX-License-Identifier: BSD-3-Clause
// The ways to do a step that are measured side by side, each by a name.
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
  std::string refused;               ///< why it cannot run here; empty: it can
};

/// Makes the contenders named: "hand", "hand_nonblocking", "exchange", "compute", "compute_one", or
/// a schedule as Schedule::parse reads it (";" for its commas). Collective. What is returned keeps
/// references to all arguments.
std::vector<Contender> make_contenders(const std::vector<std::string>& names, ByHand& hand,
                                       Halo& halo, StepWork& work);

/// Runs steps until an automatic schedule has settled. Collective.
/// @return how many there were
int settle(Contender& contender);

/// How contenders are timed.
struct Timing {
  double budget_s = 4;        ///< after which no round begins, but to make turns precise
  int rounds = 40;            ///< at most
  bool single_steps = false;  ///< a sample is a step, else the mean of a turn of steps
};

/// What the steps of a contender took.
struct Taken {
  std::vector<double> samples;  ///< seconds a step, of the slowest rank
  double steps = 0;             ///< in all turns
  double seconds = 0;           ///< of all steps, of the slowest rank in each turn
  double cpu_seconds = 0;       ///< of all threads of the rank that takes most
};

/// What each contender takes: rounds in which each has a turn of some steps, another one first each
/// time. Collective.
std::vector<Taken> interleaved(std::vector<Contender>& contenders, MPI_Comm comm,
                               const Timing& timing);

}  // namespace plait::bench
