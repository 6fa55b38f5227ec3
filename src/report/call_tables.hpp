// SPDX-License-Identifier: BSD-3-Clause
// The calls of all ranks by function, call site, communicator, partner and size.
#pragma once

#include "report/distinct_sites.hpp"
#include "report/job.hpp"
#include "report/profile.hpp"
#include "trace/symbolize.hpp"

namespace plait::report {

/// Fills calls, sites, communicators, peer_classes and sizes of a profile.
/// Merges sites of different ranks when function, communicator and call path agree; the path omits
/// frames inside MPI libraries. Notes each library that calls MPI in its constructors or
/// destructors. `symbolizer` must have resolved the sites' addresses.
/// @param numbers  of the sites of the job's records; may grow
void fill_call_tables(const Job& job, const trace::Symbolizer& symbolizer, DistinctSites& numbers,
                      Profile& profile);

/// True for functions that send a message to a partner: their bytes are a message size.
bool sends_message(const std::string& function);

}  // namespace plait::report
