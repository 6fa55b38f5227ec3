// SPDX-License-Identifier: BSD-3-Clause
// User regions: parts of a program that it names itself.
#pragma once

namespace plait::preload {

/// The calling thread enters a region within the one it is in.
void region_enter(const char* name);

/// The calling thread leaves the innermost region of that name (null: the innermost of any), and
/// those within it that it forgot to leave.
void region_leave(const char* name);

}  // namespace plait::preload
