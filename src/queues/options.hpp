// SPDX-License-Identifier: BSD-3-Clause
// The command line of plait-queues.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transport/queues.hpp"
#include "transport/wait.hpp"

namespace plait::queues {

enum class Wait { automatic, spin, yield, sleep };

/// What to measure.
struct Options {
  std::vector<const transport::Design*> designs;
  std::vector<uint32_t> processes = {2};
  uint64_t bytes = 1 << 20;  ///< of the messages for the bandwidth
  double seconds = 0.1;      ///< per measurement
  Wait wait = Wait::automatic;
  bool json = false;
  std::string output;  ///< file for the JSON; empty: none
  std::string answer;  ///< text to print instead of measuring: help, version
};

std::string to_string(Wait wait);

/// @throws Error when an option or its value is invalid
Options read_options(int argc, char** argv);

/// The policy for so many processes on the CPUs on which this process may run.
transport::WaitPolicy policy_of(Wait wait, uint32_t processes);

/// CPUs on which this process may run.
uint32_t cpus();

}  // namespace plait::queues
