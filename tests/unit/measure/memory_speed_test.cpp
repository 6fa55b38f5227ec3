// SPDX-License-Identifier: BSD-3-Clause
// Sizes of arrays and grids, core counts, and the shape of the results.
#include "measure/memory_speed.hpp"

#include <gtest/gtest.h>

#include "machine/cpuset.hpp"
#include "machine/discover.hpp"
#include "measure/isa.hpp"

namespace plait::measure {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

TEST(MemorySpeed, counts_the_last_level_caches_that_the_cores_reach) {
  const machine::Topology topology =
      machine::discover_synthetic("pack:1 l3:2(size=16777216) l2:4(size=1048576) core:1 pu:1")
          .topology;
  EXPECT_EQ(last_level_bytes(topology, {0}), 16 * kMiB);
  EXPECT_EQ(last_level_bytes(topology, {0, 3}), 16 * kMiB);
  EXPECT_EQ(last_level_bytes(topology, {0, 4}), 32 * kMiB);
}

TEST(MemorySpeed, arrays_are_four_times_the_cache_if_memory_allows) {
  EXPECT_EQ(stream_array_bytes(32 * kMiB, 8192 * kMiB), 128 * kMiB);
  EXPECT_EQ(stream_array_bytes(1 * kMiB, 8192 * kMiB), 16 * kMiB);
  EXPECT_EQ(stream_array_bytes(512 * kMiB, 3 * 1024 * kMiB), 1024 * kMiB);
}

TEST(MemorySpeed, the_grid_exceeds_the_cache) {
  const int edge = jacobi_edge(32 * kMiB, 8192 * kMiB);
  EXPECT_EQ(edge % 8, 0);
  EXPECT_GE(16.0 * edge * edge * edge, 4.0 * 32 * kMiB);
  EXPECT_LT(16.0 * (edge - 8) * (edge - 8) * (edge - 8), 4.0 * 32 * kMiB);
}

TEST(MemorySpeed, numbers_of_cores_grow_by_half_when_there_are_many) {
  EXPECT_EQ(core_counts(1, 4), (std::vector<int>{1}));
  EXPECT_EQ(core_counts(3, 4), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(core_counts(12, 4), (std::vector<int>{1, 2, 3, 4, 6, 8, 12}));
  EXPECT_EQ(core_counts(64, 4), (std::vector<int>{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}));
  EXPECT_EQ(core_counts(20, 16).back(), 20);
  EXPECT_EQ(core_counts(20, 16).size(), 17U);
}

TEST(MemorySpeed, every_kernel_has_a_figure_for_each_kind_of_store) {
  const int pu = machine::CpuSet::affinity_of(0).first();
  std::mt19937 random(1);
  Disturbance disturbance;
  const std::size_t kinds = has_non_temporal_stores(best_isa()) ? 2 : 1;
  const auto stream = measure_stream({pu, pu}, 1 * kMiB, {0.0, 0.1, 2}, random, disturbance);
  ASSERT_EQ(stream.size(), 4 * kinds);
  for (const machine::StreamResult& result : stream) {
    EXPECT_EQ(result.threads, 2);
    EXPECT_EQ(result.array_bytes, 1 * kMiB);
    EXPECT_GT(result.gbs.median, 0.0);
  }
  EXPECT_EQ(stream.front().kernel, "copy");
  EXPECT_EQ(stream.back().kernel, "triad");
  const auto jacobi = measure_jacobi({pu, pu}, 16, {0.0, 0.1, 2}, random, disturbance);
  ASSERT_EQ(jacobi.size(), kinds);
  EXPECT_EQ(jacobi[0].grid, (std::array<int, 3>{16, 16, 16}));
  EXPECT_FALSE(jacobi[0].non_temporal);
  EXPECT_GT(jacobi[0].mlups.median, 0.0);
  const machine::PeakResult peak = measure_peak({pu, pu}, {0.0, 0.1, 2}, random, disturbance);
  EXPECT_EQ(peak.cores, 2);
  EXPECT_EQ(peak.isa, name_of(best_isa()));
  EXPECT_GT(peak.gflops.median, 0.0);
}

}  // namespace
}  // namespace plait::measure
