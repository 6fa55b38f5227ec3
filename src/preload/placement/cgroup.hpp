// SPDX-License-Identifier: BSD-3-Clause
// The CPU time that control groups grant this process.
#pragma once

namespace plait::preload {

/// The smallest quota on the way from this process' control group to the root, in cores; 0: none.
double cgroup_quota_cores();

}  // namespace plait::preload
