// SPDX-License-Identifier: BSD-3-Clause
// Copies and reads arrays that are larger than the caches.
#include "bandwidth.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <numeric>
#include <utility>

#include "node_memory.hpp"

namespace plait::cg {
namespace {

constexpr std::size_t kBytes = std::size_t{64} << 20U;  // of each of two arrays of a rank
constexpr auto kCount = static_cast<std::ptrdiff_t>(kBytes / sizeof(double));
constexpr std::ptrdiff_t kChunk = 8192;  // numbers that are added up at a time
constexpr int kAhead = 4096;             // numbers; farther than in sparse products

/// The sum of kChunk numbers by independent sums, which do not wait for each other. Fetches numbers
/// into the second-level cache so far ahead, unless that is 0.
template <int Ahead>
double sum_of_chunk(const double* numbers) {
  constexpr std::ptrdiff_t sums_at_once = 32;
  std::array<double, sums_at_once> sums{};
  for (std::ptrdiff_t i = 0; i < kChunk; i += sums_at_once) {
    if constexpr (Ahead > 0) {
      constexpr std::ptrdiff_t line = 64 / sizeof(double);
      constexpr int second_level = 2;
      for (std::ptrdiff_t k = 0; k < sums_at_once; k += line) {
        __builtin_prefetch(numbers + i + k + Ahead, 0, second_level);
      }
    }
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += numbers[i + static_cast<int>(k)];
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  if (numbers.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(numbers.begin(), middle)) / 2;
}

BandwidthProbe::Numbers BandwidthProbe::allocate() {
  constexpr std::size_t large_page = std::size_t{2} << 20U;
  Numbers numbers(static_cast<double*>(std::aligned_alloc(large_page, kBytes)));
  if (!numbers) throw std::bad_alloc();
  ::madvise(numbers.get(), kBytes, MADV_HUGEPAGE);
  return numbers;
}

BandwidthProbe::BandwidthProbe(MPI_Comm comm, int threads) : comm_(comm), threads_(threads) {
  check_node_memory(comm, "--bandwidth", 2.0 * kBytes, "leave the option out");
  agreed(comm, "--bandwidth", [this] {
    from_ = allocate();
    to_ = allocate();
  });
  double* a = from_.get();
  double* b = to_.get();
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (std::ptrdiff_t i = 0; i < kCount; ++i) {
    a[i] = static_cast<double>(i);
    b[i] = 0;
  }
}

/// The time of a pass on all ranks.
template <class Pass>
double BandwidthProbe::slowest_s(const Pass& pass) const {
  MPI_Barrier(comm_);
  const double start = MPI_Wtime();
  pass();
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm_);
  return seconds;
}

void BandwidthProbe::measure() {
  const double* a = from_.get();
  double* b = to_.get();
  copies_s_.push_back(slowest_s([this, a, b] {
  // Not memcpy(), which may bypass the caches when it stores.
#pragma omp parallel for simd num_threads(threads_) schedule(static)
    for (std::ptrdiff_t i = 0; i < kCount; ++i) b[i] = 1.0 * a[i];
  }));
  reads_s_.push_back(slowest_s([this] { read<0>(); }));
  prefetched_reads_s_.push_back(slowest_s([this] { read<kAhead>(); }));
}

template <int Ahead>
void BandwidthProbe::read() {
  const double* numbers = from_.get();
  double sum = 0;
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(+ : sum)
  for (std::ptrdiff_t chunk = 0; chunk < kCount / kChunk; ++chunk) {
    sum += sum_of_chunk<Ahead>(numbers + chunk * kChunk);
  }
  total_ += sum;
}

void BandwidthProbe::measure_repeatedly() {
  constexpr int kTurns = 5;
  for (int turn = 0; turn < kTurns; ++turn) measure();
}

Bandwidth BandwidthProbe::take_medians() {
  if (copies_s_.empty() || total_ <= 0) return {};
  int ranks = 1;
  MPI_Comm_size(comm_, &ranks);
  const double bytes = ranks * static_cast<double>(kBytes);
  const auto least = [](const std::vector<double>& times) {
    return *std::min_element(times.begin(), times.end());
  };
  const std::vector<double> copies = std::exchange(copies_s_, {});
  const std::vector<double> reads = std::exchange(reads_s_, {});
  const std::vector<double> prefetched = std::exchange(prefetched_reads_s_, {});
  return {2 * bytes / median(copies), bytes / std::min(median(reads), median(prefetched)),
          bytes / std::min({least(copies) / 2, least(reads), least(prefetched)})};
}

}  // namespace plait::cg
