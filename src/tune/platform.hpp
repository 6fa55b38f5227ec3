// SPDX-License-Identifier: BSD-3-Clause
// Tunes an MPI library for a machine without a program: common sizes of messages and collective
// operations, measured by the probe.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "advise/tuned_settings.hpp"
#include "measure/mpi_choice.hpp"
#include "tune/candidates.hpp"
#include "tune/search.hpp"

namespace plait::tune {

struct PlatformRequest {
  measure::MpiChoice mpi;
  std::vector<std::string> nodes;  ///< host names; empty: this one
  int ranks_per_node = 2;
  double budget_s = 600;
  std::filesystem::path folder;  ///< an existing one, for the runs
  /// Called before each pair of runs: what is tried, and for which messages.
  std::function<void(const std::string& setting)> progress;
};

/// What was tried for the same messages.
struct PlatformContest {
  std::string messages;  ///< "MPI_Bcast on 2 ranks, about 8.0 KiB"
  std::vector<Candidate> candidates;
  Search search;  ///< its pairs are times of these messages
};

struct PlatformTuning {
  advise::TunedSettings settings;
  std::vector<PlatformContest> contests;
  std::vector<std::string> left_out;  ///< sentences: what was not tried and why
  double spent_s = 0;
  int unfinished = 0;      ///< contests whose budget was too small
  bool unchecked = false;  ///< the budget ended before the last check of the winners
  std::optional<int> interrupted_by;
};

/// True if nothing won, but the budget ended before that shows that there is nothing to gain.
bool is_unfinished(const PlatformTuning& tuning);

/// The messages that a platform is tuned for: those of MPI programs in general.
MessageUse platform_use(const Registry& registry, int nodes, int ranks);

/// Finds the settings that are faster: for each kind of messages by a search of its own, whose
/// error rates together are that of a tuning. What won must not make other messages slower.
/// @param registry  of the library
/// @throws Error when the probe fails with the defaults.
PlatformTuning tune_platform(const PlatformRequest& request, const Registry& registry);

/// The result in the terminal.
std::vector<std::string> platform_lines(const PlatformTuning& tuning);

}  // namespace plait::tune
