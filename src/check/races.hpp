// SPDX-License-Identifier: BSD-3-Clause
// Finds receives from any source that could have got another message, with other consequences.
#pragma once

#include <string>
#include <vector>

#include "check/collectives.hpp"
#include "check/finding.hpp"
#include "check/job.hpp"
#include "check/messages.hpp"

namespace plait::check {

/// The races of a job.
struct Races {
  /// Receives that could have got a message which does not fit, which a later call needs, or which
  /// belongs to another part of the program. The program may be correct.
  std::vector<Finding> findings;
  std::vector<std::string> notes;  ///< what was not judged, and why
};

/// Compares each message that a receive from any source got with those of other ranks that it could
/// have got: messages whose send does not depend on the end of the receive (Netzer, Brennan and
/// Damodaran-Kamal, Debugging race conditions in message-passing programs, SPDT 1996). What depends
/// on what follows from the order of each rank's calls, messages and collective calls.
/// @param job  has ended
Races find_races(const Job& job, const Messages& messages, const Collectives& collectives);

}  // namespace plait::check
