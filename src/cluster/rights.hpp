// SPDX-License-Identifier: BSD-3-Clause
// Gives up the rights of root as soon as a cluster no longer needs them.
#pragma once

namespace plait::cluster {

/// Under sudo, makes this process one of the calling user: ids, groups, HOME and the runtime
/// folder. Otherwise does nothing. Call it before anything is read or written for that user.
/// @param starts  this process will start a cluster: keeps the capability to create namespaces,
/// which some systems give to root only, until drop_rights()
/// @throws Error when the system refuses.
void become_caller(bool starts);

/// Drops all capabilities of this thread for good. Root keeps what the user id 0 may do.
void drop_rights();

}  // namespace plait::cluster
