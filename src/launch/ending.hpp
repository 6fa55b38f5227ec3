// SPDX-License-Identifier: BSD-3-Clause
// How a job ended: well, with a failure, refused by MPI, crashed or hung, and in whose words.
#pragma once

#include <optional>
#include <string>

#include "launch/supervise.hpp"

namespace plait::launch {

enum class Ending {
  ended,    ///< exit code 0
  failed,   ///< another exit code
  refused,  ///< MPI said at its start that it cannot run so
  crashed,  ///< a signal or a failed assertion ended it
  hung,     ///< it had to be killed after the time limit
};

struct JobEnding {
  Ending ending = Ending::ended;
  int exit_code = 0;
  std::optional<int> signal;      ///< that ended a process of the job
  std::optional<double> limit_s;  ///< hung: after which it was killed
  std::string words;              ///< what MPI or the program said of it, one line; may be empty
};

/// "ended", "failed", "refused", "crashed", "hung".
std::string ending_name(Ending ending);
/// The ending of such a name; empty when it is none.
std::optional<Ending> ending_named(const std::string& name);

/// Reads the end of a job from its process and from what launcher and ranks wrote.
/// @param output  the end of standard output and standard error
JobEnding judge_ending(const ProcessEnd& end, const std::string& output,
                       std::optional<double> limit_s);

/// "hung, killed after 10.0 s", "crashed with SIGSEGV", "refused at its start, exit code 1", with
/// MPI's words behind it.
std::string ending_sentence(const JobEnding& ending);

}  // namespace plait::launch
