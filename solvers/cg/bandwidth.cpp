// SPDX-License-Identifier: BSD-3-Clause
// Copies and reads arrays that are larger than the caches.
#include "bandwidth.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <numeric>

#include "node_memory.hpp"

namespace plait::cg {
namespace {

constexpr std::size_t kBytesPerRank = std::size_t{64} << 20U;  // of each of two arrays
constexpr std::ptrdiff_t kChunk = 8192;  // numbers that are added up at a time
constexpr int kTurns = 5;

/// The sum of kChunk numbers by independent sums, which do not wait for each other.
double sum_of_chunk(const double* numbers) {
  constexpr std::ptrdiff_t sums_at_once = 32;
  std::array<double, sums_at_once> sums{};
  for (std::ptrdiff_t i = 0; i < kChunk; i += sums_at_once) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += numbers[i + static_cast<int>(k)];
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

/// Runs `pass` a few times on all ranks. @return passes per second of the slowest rank, best turn
template <class Pass>
double passes_per_s(MPI_Comm comm, const Pass& pass) {
  double best_s = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    MPI_Barrier(comm);
    const double start = MPI_Wtime();
    pass();
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    best_s = turn == 0 ? seconds : std::min(best_s, seconds);
  }
  return 1 / best_s;
}

}  // namespace

Bandwidth measure_bandwidth(MPI_Comm comm, int threads) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  constexpr auto count = static_cast<std::ptrdiff_t>(kBytesPerRank / sizeof(double));
  check_node_memory(comm, "--bandwidth", 2.0 * kBytesPerRank, "leave the option out");
  const std::unique_ptr<double[]> from(new double[static_cast<std::size_t>(count)]);
  const std::unique_ptr<double[]> to(new double[static_cast<std::size_t>(count)]);
  double* a = from.get();
  double* b = to.get();
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    a[i] = static_cast<double>(i);
    b[i] = 0;
  }
  Bandwidth all;
  const double copies = passes_per_s(comm, [=] {
  // Not memcpy(), which may bypass the caches when it stores.
#pragma omp parallel for simd num_threads(threads) schedule(static)
    for (std::ptrdiff_t i = 0; i < count; ++i) b[i] = 1.0 * a[i];
  });
  double total = 0;
  const double reads = passes_per_s(comm, [=, &total] {
    double sum = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : sum)
    for (std::ptrdiff_t chunk = 0; chunk < count / kChunk; ++chunk) {
      sum += sum_of_chunk(a + chunk * kChunk);
    }
    total += sum;
  });
  // The sum must be used, or the compiler leaves it out.
  all.read = total > 0 ? reads * ranks * static_cast<double>(kBytesPerRank) : 0;
  all.copy = copies * ranks * 2 * static_cast<double>(kBytesPerRank);
  return all;
}

}  // namespace plait::cg
