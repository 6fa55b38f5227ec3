// SPDX-License-Identifier: BSD-3-Clause
// Sends the records of nodes without the run directory to one that has it, in MPI_Finalize.
#pragma once

#include "preload/calls/communicators.hpp"

namespace plait::preload::gather {

/// To be called by all processes of a job on several hosts, at the end of Init. Records are
/// gathered if some are away and every process has one: otherwise a process would not take part.
void begin(const JobHosts& job);

/// In MPI_Finalize, before the library's own: collective over MPI_COMM_WORLD if records are
/// gathered, else local. Only the first call does something.
/// @param end_recording  closes the files of this process and makes them ready to be sent
void run(void (*end_recording)());

/// In the child of a fork.
void forget();

}  // namespace plait::preload::gather
