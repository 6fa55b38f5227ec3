// SPDX-License-Identifier: BSD-3-Clause
// What became of each setting and combination of a tuning, for the terminal and the page.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tune/tuning.hpp"

namespace plait::tune {

/// A setting, or what was tried together.
struct Outcome {
  /// Old time / new time of the pairs of runs.
  struct Ratio {
    double median = 1, low = 1, high = 1;
  };
  std::string name;
  std::string reason = {};          ///< why it was tried; empty: a combination
  std::size_t pairs = 0;            ///< of the program; if there are none, of the probe
  std::optional<Ratio> ratio = {};  ///< nothing: no pair counts
  std::string text = {};            ///< "chosen", "not faster", how it failed
};

/// All settings in the order in which they were tried, then combinations and confirmations.
std::vector<Outcome> outcomes_of(const Tuning& tuning);

}  // namespace plait::tune
