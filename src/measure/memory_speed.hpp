// SPDX-License-Identifier: BSD-3-Clause
// Memory bandwidth (STREAM) and the Jacobi kernel's speed P(k) on 1..n cores.
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

/// Bytes of the largest cache level that the given cores reach; 32 MiB when the system does not
/// tell.
std::uint64_t last_level_bytes(const machine::Topology& topology, const std::vector<int>& cores);

/// Bytes of one STREAM array: four times the last-level caches that the cores reach, at least
/// 16 MiB (STREAM's own rule), at most what three arrays may take of `memory_bytes`.
std::uint64_t stream_array_bytes(std::uint64_t last_level, std::uint64_t memory_bytes);

/// Edge of a cubic grid of which two copies take four times the last-level caches, at most
/// `memory_bytes`; a multiple of 8.
int jacobi_edge(std::uint64_t last_level, std::uint64_t memory_bytes);

/// Numbers of cores to measure: all up to `all_up_to`, then 3/2 and 2 times a power of two, and n.
std::vector<int> core_counts(int n, int all_up_to);

/// Measures STREAM with one thread on each hardware thread of `pus`: eight figures, or four where
/// the processor has no stores that bypass its caches.
std::vector<machine::StreamResult> measure_stream(const std::vector<int>& pus,
                                                  std::uint64_t array_bytes, const RoundsPlan& plan,
                                                  std::mt19937& random, Disturbance& disturbance);

/// Measures sweeps over a grid of edge^3 points, split into slabs in z; a barrier ends each sweep.
std::vector<machine::JacobiResult> measure_jacobi(const std::vector<int>& pus, int edge,
                                                  const RoundsPlan& plan, std::mt19937& random,
                                                  Disturbance& disturbance);

}  // namespace plait::measure
