// SPDX-License-Identifier: BSD-3-Clause
// Measures memory bandwidth (STREAM), the floating-point peak, and the speed P(k) of the Jacobi
// kernel on 1..n cores.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "machine/measured.hpp"
#include "machine/topology.hpp"
#include "measure/rounds.hpp"
#include "measure/team.hpp"

namespace plait::measure {

/// Bytes of all last-level caches that the given cores use; 32 MiB when the system reports none.
std::uint64_t last_level_bytes(const machine::Topology& topology, const std::vector<int>& cores);

/// Bytes of one STREAM array: four times the last-level caches (the rule of STREAM), at least 16
/// MiB, and at most a third of `memory_bytes`.
std::uint64_t stream_array_bytes(std::uint64_t last_level, std::uint64_t memory_bytes);

/// Edge of a cubic grid of which two copies take four times the last-level caches, at least 16 MiB
/// and at most `memory_bytes`; a multiple of 8.
int jacobi_edge(std::uint64_t last_level, std::uint64_t memory_bytes);

/// The core counts to measure: all up to `all_up_to`, then powers of two and 3/2 of them, and n.
std::vector<int> core_counts(int n, int all_up_to);

/// Measures STREAM with one thread on each hardware thread of `pus`: eight figures, or four if the
/// processor has no stores that bypass the caches.
/// @param disturbance  is increased by that of this measurement
std::vector<machine::StreamResult> measure_stream(const std::vector<int>& pus,
                                                  std::uint64_t array_bytes, const RoundsPlan& plan,
                                                  std::mt19937& random, Disturbance& disturbance);

/// Measures multiply-adds in registers with one thread on each hardware thread of `pus`.
/// @param disturbance  is increased by that of this measurement
machine::PeakResult measure_peak(const std::vector<int>& pus, const RoundsPlan& plan,
                                 std::mt19937& random, Disturbance& disturbance);

/// Measures STREAM triad and multiply-adds in registers with one thread per core and with one on
/// each hardware thread, in turn.
/// @param one_per_core  a hardware thread of each core
/// @param all           all hardware threads of these cores
/// @param disturbance   is increased by that of this measurement
std::vector<machine::HardwareThreads> measure_hardware_threads(
    const std::vector<int>& one_per_core, const std::vector<int>& all, std::uint64_t array_bytes,
    const RoundsPlan& plan, std::mt19937& random, Disturbance& disturbance);

/// Measures sweeps over a grid of edge^3 points, divided into slabs along z; each sweep ends with a
/// barrier.
/// @param disturbance  is increased by that of this measurement
std::vector<machine::JacobiResult> measure_jacobi(const std::vector<int>& pus, int edge,
                                                  const RoundsPlan& plan, std::mt19937& random,
                                                  Disturbance& disturbance);

}  // namespace plait::measure
