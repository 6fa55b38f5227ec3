// SPDX-License-Identifier: BSD-3-Clause
// The energy that parts of this node use, where the kernel lets this user read it.
#pragma once

namespace plait::preload {

/// Adds what the parts used since the last call to their entries; the first call makes these. The
/// counters begin again from 0 after some minutes, so it must be called more often.
/// @param folder  of the kernel's zones
void sample_energy(const char* folder = "/sys/class/powercap");

}  // namespace plait::preload
