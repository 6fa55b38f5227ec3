// SPDX-License-Identifier: BSD-3-Clause
// The calls of all ranks by function, call site, communicator, partner and size.
#pragma once

#include "report/job.hpp"
#include "report/profile.hpp"
#include "report/symbolize.hpp"

namespace plait::report {

/// Fills calls, sites, communicators, peer_classes and sizes of a profile.
/// Sites of different ranks are one when function, communicator and call path agree; frames inside
/// MPI libraries are left out of the path. `symbolizer` must have resolved the sites' addresses.
void fill_call_tables(const Job& job, const Symbolizer& symbolizer, Profile& profile);

/// Whether a function sends a message to a partner (so that its bytes are a message's size).
bool sends_message(const std::string& function);

}  // namespace plait::report
