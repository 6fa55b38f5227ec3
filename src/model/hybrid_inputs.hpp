// SPDX-License-Identifier: BSD-3-Clause
// Reads the inputs of the hybrid models from a machine file: speeds for CG and HPL, bandwidths.
#pragma once

#include <string>

#include "machine/measured.hpp"
#include "model/hybrid_prediction.hpp"

namespace plait::model {

/// The share of a bound that a good kernel reaches: the speed to expect, and its interval.
struct ReachedShare {
  double value = 1;
  double low = 1;
  double high = 1;
};
/// CG's product of the memory traffic bound, and a DGEMM of the floating-point peak.
inline constexpr ReachedShare kCgOfBound{0.85, 0.7, 1.0};
inline constexpr ReachedShare kGemmOfPeak{0.9, 0.8, 1.0};

/// P(k) of CG in flop/s: memory bandwidth by STREAM, for each number of threads the fastest kernel,
/// divided by kCgBytesPerFlop. Without STREAM, the bandwidth is that of the Jacobi kernel, 16 B per
/// update with nontemporal stores and 24 B with ordinary ones.
/// @param machine  its name, for the message
/// @throws Error when neither was measured.
SpeedTable cg_speed(const machine::Measured& measured, const std::string& machine);

/// Memory bandwidth in bytes per second by number of threads, of which CG's share is reached, from
/// the same figures.
/// @throws Error when neither was measured.
SpeedTable memory_speed(const machine::Measured& measured, const std::string& machine);

/// P(k) of HPL in flop/s, from the measured floating-point peak.
/// @throws Error when it was not measured.
SpeedTable hpl_speed(const machine::Measured& measured, const std::string& machine);

/// The three bandwidths of Viet's table 1 at one message size, in bytes per second.
struct ThreeBandwidths {
  double mpi = 0;     ///< of a node, several pairs at once
  double hybrid = 0;  ///< of a node, one pair
  double inside = 0;  ///< in a node, several pairs; 0: unknown
};

/// The bandwidths of these inputs. @return zeros when the network is unknown
ThreeBandwidths three_bandwidths(const HybridInputs& inputs, std::uint64_t bytes);

}  // namespace plait::model
