// SPDX-License-Identifier: BSD-3-Clause
// One row of a Jacobi sweep, in versions for the instruction sets of this CPU.
#include "row_kernel.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace plait::jacobi {
namespace {

constexpr double sixth = 1.0 / 6.0;

inline double mean_of_neighbours(const RowNeighbours& old, int i) {
  return sixth * (((old.centre[i - 1] + old.centre[i + 1]) + (old.south[i] + old.north[i])) +
                  (old.below[i] + old.above[i]));
}

// The loop is written once; each version is this body compiled for another instruction set. The
// rows never overlap, as old and new values are different arrays.
[[gnu::always_inline]] inline void cached_row(double* __restrict new_row, const RowNeighbours& rows,
                                              int n) {
  const RowNeighbours old = rows;
#pragma GCC ivdep
  for (int i = 1; i <= n; ++i) new_row[i] = mean_of_neighbours(old, i);
}

void cached_row_baseline(double* new_row, const RowNeighbours& old, int n) {
  cached_row(new_row, old, n);
}

#if defined(__x86_64__)

[[gnu::target("avx2")]] void cached_row_avx2(double* new_row, const RowNeighbours& old, int n) {
  cached_row(new_row, old, n);
}

[[gnu::target("avx512f,prefer-vector-width=512")]] void cached_row_avx512(double* new_row,
                                                                          const RowNeighbours& old,
                                                                          int n) {
  cached_row(new_row, old, n);
}

void streaming_row_sse2(double* new_row, const RowNeighbours& old, int n) {
  const __m128d factor = _mm_set1_pd(sixth);
  int i = 1;
  for (; i + 1 <= n; i += 2) {
    const __m128d x =
        _mm_add_pd(_mm_loadu_pd(old.centre + i - 1), _mm_loadu_pd(old.centre + i + 1));
    const __m128d y = _mm_add_pd(_mm_loadu_pd(old.south + i), _mm_loadu_pd(old.north + i));
    const __m128d z = _mm_add_pd(_mm_loadu_pd(old.below + i), _mm_loadu_pd(old.above + i));
    _mm_stream_pd(new_row + i, _mm_mul_pd(factor, _mm_add_pd(_mm_add_pd(x, y), z)));
  }
  for (; i <= n; ++i) new_row[i] = mean_of_neighbours(old, i);
}

[[gnu::target("avx2")]] void streaming_row_avx2(double* new_row, const RowNeighbours& old, int n) {
  const __m256d factor = _mm256_set1_pd(sixth);
  int i = 1;
  for (; i + 3 <= n; i += 4) {
    const __m256d x =
        _mm256_add_pd(_mm256_loadu_pd(old.centre + i - 1), _mm256_loadu_pd(old.centre + i + 1));
    const __m256d y = _mm256_add_pd(_mm256_loadu_pd(old.south + i), _mm256_loadu_pd(old.north + i));
    const __m256d z = _mm256_add_pd(_mm256_loadu_pd(old.below + i), _mm256_loadu_pd(old.above + i));
    _mm256_stream_pd(new_row + i, _mm256_mul_pd(factor, _mm256_add_pd(_mm256_add_pd(x, y), z)));
  }
  for (; i <= n; ++i) new_row[i] = mean_of_neighbours(old, i);
}

#endif

}  // namespace

RowKernel select_row_kernel(bool streaming) {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") != 0;
  // A streamed row is bound by memory: wider vectors than AVX2's bring nothing there.
  if (streaming) return avx2 ? streaming_row_avx2 : streaming_row_sse2;
  if (__builtin_cpu_supports("avx512f") != 0) return cached_row_avx512;
  if (avx2) return cached_row_avx2;
#else
  static_cast<void>(streaming);
#endif
  return cached_row_baseline;
}

bool has_streaming_stores() {
#if defined(__x86_64__)
  return true;
#else
  return false;
#endif
}

void finish_streaming_stores() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace plait::jacobi
