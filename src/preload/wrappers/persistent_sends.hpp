// SPDX-License-Identifier: BSD-3-Clause
// Works around an error of Open MPI 4 in persistent sends over libfabric.
#pragma once

namespace plait::preload {

/// To be called after MPI was initialized with Plait's transport. Open MPI 4 sends the wrong bytes
/// if a persistent request, be it one that a collective operation makes, has a datatype whose data
/// are contiguous and begin beside the buffer's address: it forgets the true lower bound. From now
/// on, its function that makes these requests gets a datatype that begins at the address. Does
/// nothing for other libraries.
void correct_persistent_sends();

}  // namespace plait::preload
