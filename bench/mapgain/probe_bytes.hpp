// SPDX-License-Identifier: BSD-3-Clause
// The size of probe messages: as long as a few faces, so that latencies matter as little.
#pragma once

namespace plait::bench {

inline constexpr int kProbeBytes = 2 << 20;

}  // namespace plait::bench
