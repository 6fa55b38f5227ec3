// SPDX-License-Identifier: BSD-3-Clause
// Reads from a run directory what a sweep needs: the outcome, the figure of merit, efficiencies.
#pragma once

#include <filesystem>
#include <optional>

#include "sweep/sweep.hpp"

namespace plait::sweep {

/// A run that has ended.
struct Observed {
  PointRun run;
  std::optional<PointFailure> failure;  ///< then only wall_s of `run` is set
};

/// Reads a run directory. The figure of merit of a run without one is a failure.
/// @param limit_s  that the run had, for the sentence about it
/// @throws Error when run.json is missing or damaged.
Observed observe(const std::filesystem::path& run_dir, const Figure& figure,
                 std::optional<double> limit_s);

}  // namespace plait::sweep
