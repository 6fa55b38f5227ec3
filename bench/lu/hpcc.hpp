// SPDX-License-Identifier: BSD-3-Clause
// HPL as part of Debian's hpcc.
#pragma once

#include <string>

namespace plait::bench {

/// Runs hpcc on 1 x 2 ranks and returns the rate of its HPL in GFLOP/s. hpcc also runs its other
/// benchmarks, which takes most of the time.
/// @throws Error if it fails
double hpcc_gflops(const std::string& launcher, int size, int block);

}  // namespace plait::bench
