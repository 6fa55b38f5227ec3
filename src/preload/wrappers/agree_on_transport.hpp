// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a run with --transport agree whether they use it.
#pragma once

namespace plait::preload {

/// To be called before MPI is initialized: waits for the other ranks. If they do not use Plait's
/// transport, takes back the variables that offer it to the MPI library.
/// @return true if the MPI library is offered the transport
bool agree_on_transport();

}  // namespace plait::preload
