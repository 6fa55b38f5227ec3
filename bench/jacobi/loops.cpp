// SPDX-License-Identifier: BSD-3-Clause
// References for the library's kernels: the obvious loop, and a hand-written one.
#include "loops.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#define PLAIT_CLONES [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define PLAIT_CLONES
#endif

namespace plait::bench {
namespace {

PLAIT_CLONES void naive_row(const double* now, double* __restrict next, std::ptrdiff_t y,
                            std::ptrdiff_t z, int n) {
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    next[i] =
        (((now[i - 1] + now[i + 1]) + (now[i - y] + now[i + y])) + (now[i - z] + now[i + z])) *
        (1.0 / 6.0);
  }
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void hand_row(const double* now, double* next, std::ptrdiff_t y,
                                         std::ptrdiff_t z, int n) {
  const __m512d sixth = _mm512_set1_pd(1.0 / 6.0);
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    const double* at = now + i;
    const __m512d x_sum = _mm512_add_pd(_mm512_loadu_pd(at - 1), _mm512_loadu_pd(at + 1));
    const __m512d y_sum = _mm512_add_pd(_mm512_loadu_pd(at - y), _mm512_loadu_pd(at + y));
    const __m512d z_sum = _mm512_add_pd(_mm512_loadu_pd(at - z), _mm512_loadu_pd(at + z));
    _mm512_storeu_pd(next + i,
                     _mm512_mul_pd(_mm512_add_pd(_mm512_add_pd(x_sum, y_sum), z_sum), sixth));
  }
  naive_row(now + i, next + i, y, z, n - i);
}
#endif

template <class Row>
void update(Row row, const Field<double>& now, Field<double>& next, const Box& box) {
  for (int k = box.first[2]; k < box.last[2]; ++k) {
    for (int j = box.first[1]; j < box.last[1]; ++j) {
      row(now.row(j, k) + box.first[0], next.row(j, k) + box.first[0], now.stride_y(),
          now.stride_z(), box.extent(0));
    }
  }
}

}  // namespace

void naive_update(const Field<double>& now, Field<double>& next, const Box& box) {
  update(naive_row, now, next, box);
}

bool has_hand_update() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") != 0;
#else
  return false;
#endif
}

void hand_update(const Field<double>& now, Field<double>& next, const Box& box) {
#if defined(__x86_64__)
  if (has_hand_update()) return update(hand_row, now, next, box);
#endif
  naive_update(now, next, box);
}

}  // namespace plait::bench
