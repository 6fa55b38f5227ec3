// SPDX-License-Identifier: BSD-3-Clause
// User regions: parts of a program that the program names.
#pragma once

namespace plait::preload {

/// The calling thread enters a region within the one it is in.
void region_enter(const char* name);

/// The calling thread leaves the innermost region of that name (null: the innermost of any), and
/// all regions that are still open in it.
void region_leave(const char* name);

}  // namespace plait::preload
