// SPDX-License-Identifier: BSD-3-Clause
// A step as a block of grains and an exchange (Viet, Yoshinaga, Abderazek and Sowa 2005).
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "plait/grains.hpp"
#include "solve/schedules/stepper_job.hpp"

namespace plait::solve {

/// The blocks of grains of one stepper, one for each order. They are declared at the first step and
/// again if the number of threads or the size of grains changes.
class GrainSteps {
public:
  /// The communicating master sends as soon as all parts are packed and waits for the messages,
  /// while the others take grains of the interior; then it joins them. Flags, not barriers, order
  /// the parts of a step. With a team of one: same as polled.
  void run(const StepJob& job, Wait wait);

private:
  /// A block, and what it was declared for.
  struct Declared {
    GrainBlock block;
    int threads;
    Int3 grain;
    Wait wait;
  };

  void declare(const StepJob& job, Wait wait);
  GrainBlock::Task updates(GrainBlock& block, const char* name, std::vector<Box> grains);

  const StepJob* job_ = nullptr;  ///< the running step
  std::array<std::optional<Declared>, 2> declared_;
};

/// The boxes cut into grains, in order.
std::vector<Box> grains_of(std::span<const Box> boxes, int threads, const Int3& given);

}  // namespace plait::solve
