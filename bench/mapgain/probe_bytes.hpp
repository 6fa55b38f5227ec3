// SPDX-License-Identifier: BSD-3-Clause
// How much the network is probed with: as long as some faces, so that latencies count as little.
#pragma once

namespace plait::bench {

inline constexpr int kProbeBytes = 2 << 20;

}  // namespace plait::bench
