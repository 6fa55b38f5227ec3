// SPDX-License-Identifier: BSD-3-Clause
// The state of a tuning: what is tuned, the candidates, their runs and the result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/launcher.hpp"
#include "launcher/plan.hpp"
#include "tune/candidates.hpp"
#include "tune/search.hpp"

namespace plait::tune {

enum class TuningState { running, interrupted, finished };

struct Tuning {
  std::string created;
  std::string host;
  std::vector<std::string> command;  ///< with its launcher, as before
  std::string run;                   ///< run directory whose profile was read
  launcher::Launcher launcher;
  int ranks = 0;                  ///< of the job
  bool probed = false;            ///< candidates with a probe are screened on it
  std::string tool;               ///< of the library, which listed the settings; empty: none
  std::string time_from;          ///< regular expression of the time in the output; empty: none
  bool same_output = false;       ///< as advise::TrialRequest
  std::optional<double> limit_s;  ///< of each run; set by the first run if it is not given
  double first_s = 0;             ///< of the first run
  CandidateList list;
  Search search;
  std::vector<std::string> quarantined;  ///< IDs of settings put there
  std::vector<std::string> read_back;    ///< of the chosen settings: how the library reads them
  std::vector<std::string> notes;
  TuningState state = TuningState::running;
};

/// Gives the search what it has to know of the candidates.
void prepare_search(Tuning& tuning);

/// The plan of what was chosen; before the end, of what would be.
/// @param registry  whose launcher decides the form of rules
launcher::Plan chosen_plan(const Tuning& tuning, const Registry& registry);

/// A sentence: what was found, by how much, how certain it is.
std::string verdict_of(const Tuning& tuning);

/// "eager limit 16 KiB; MPI_Bcast on 4 ranks: chain".
std::string names_of(const Tuning& tuning, const std::vector<int>& candidates);

}  // namespace plait::tune
