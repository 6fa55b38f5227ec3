// SPDX-License-Identifier: BSD-3-Clause
// Judges the outcome of a job: ended, failed, refused by MPI, crashed or hung, with the message.
#pragma once

#include <optional>
#include <string>

#include "run/supervise.hpp"

namespace plait::run {

enum class Outcome {
  ended,    ///< exit code 0
  failed,   ///< another exit code
  refused,  ///< MPI reported at start that it cannot run with these settings
  crashed,  ///< a signal or a failed assertion ended it
  hung,     ///< it had to be killed after the time limit
};

struct JobOutcome {
  Outcome kind = Outcome::ended;
  int exit_code = 0;
  std::optional<int> signal;      ///< that ended a process of the job
  std::optional<double> limit_s;  ///< hung: the time after which it was killed
  std::string message;            ///< one line that MPI or the program wrote about it; may be empty
};

/// "ended", "failed", "refused", "crashed", "hung".
std::string outcome_name(Outcome outcome);
/// The outcome with this name; empty if it is unknown.
std::optional<Outcome> outcome_named(const std::string& name);

/// "SIGSEGV".
std::string signal_text(int signal);

/// Judges the outcome from the end of the process and from the output of launcher and ranks.
/// @param output  the end of standard output and standard error
JobOutcome judge_outcome(const ProcessEnd& end, const std::string& output,
                         std::optional<double> limit_s);

/// "hung, killed after 10.0 s", "crashed with SIGSEGV", "refused at start, exit code 1", followed
/// by the message of MPI.
std::string outcome_sentence(const JobOutcome& outcome);

}  // namespace plait::run
