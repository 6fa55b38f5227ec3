// SPDX-License-Identifier: BSD-3-Clause
// Works around errors of Open MPI 4 that come with messages over libfabric.
#pragma once

#include "preload/calls/abi.hpp"

namespace plait::preload {

/// To be called after MPI was initialized with Plait's transport. Does nothing for other libraries.
///
/// Open MPI 4 sends the wrong bytes if a persistent request, be it one that a collective operation
/// makes, has a datatype whose data are contiguous and begin beside the buffer's address: it
/// forgets the true lower bound. From now on, its function that makes these requests gets a
/// datatype that begins at the address.
void correct_open_mpi_4();

/// To be called before MPI_Cancel. Open MPI 4 crashes if the request is a send. Sends need not be
/// cancelled (MPI-4.1, section 3.8.4), so it is made to keep them.
void before_cancel(const MPI_Request* request);

}  // namespace plait::preload
