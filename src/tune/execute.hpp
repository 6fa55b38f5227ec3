// SPDX-License-Identifier: BSD-3-Clause
// Runs the pairs that a search asks for, and keeps the state of the tuning after each one.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "run/quarantine.hpp"
#include "tune/tuning.hpp"

namespace plait::tune {

/// Leaves out candidates whose settings are in quarantine, and says so.
void leave_out_quarantined(const Registry& registry, const std::vector<run::Quarantined>& all,
                           CandidateList& list);

/// Leaves out candidates whose parameters the command sets by --mca, which overrides variables, and
/// says so.
void leave_out_given(const Registry& registry, const std::vector<std::string>& command,
                     CandidateList& list);

/// Lets candidates be screened on a probe if there is one for the command; else a note says why
/// not.
void decide_on_probes(Tuning& tuning, const launcher::LaunchCommand& command);

/// Called before each pair: the contest, and the number of the pair in it.
using BeforePair = std::function<void(const Tuning&, const Contest&, int pair)>;

/// Runs the search to its end. Settings that the library ignores are not run; those that end the
/// job are put into quarantine.
/// @param folder  an existing folder, for tune.json and the output of the runs
/// @return the signal that interrupted it
/// @throws Error when the original command fails, its time is not found, or nothing can be written.
std::optional<int> execute(Tuning& tuning, const Registry& registry,
                           const std::filesystem::path& folder, const BeforePair& before);

}  // namespace plait::tune
