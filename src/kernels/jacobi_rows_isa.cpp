// SPDX-License-Identifier: BSD-3-Clause
// The Jacobi update of rows, compiled once for each instruction set (PLAIT_ISA: baseline, avx2,
// avx512).
//
// Nothing of the standard library may be instantiated here: the linker could keep a copy with
// instructions that another processor lacks.
#include "kernels/jacobi_rows.hpp"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace plait::detail::PLAIT_ISA {
namespace {

constexpr double sixth = 1.0 / 6.0;

#if defined(__AVX512F__)
using Vector = __m512d;
inline void stream(double* to, Vector v) {
  _mm512_stream_pd(to, v);
}
#elif defined(__AVX2__)
using Vector = __m256d;
inline void stream(double* to, Vector v) {
  _mm256_stream_pd(to, v);
}
#elif defined(__x86_64__)
using Vector = __m128d;
inline void stream(double* to, Vector v) {
  _mm_stream_pd(to, v);
}
#else
using Vector [[gnu::vector_size(16)]] = double;
#endif
constexpr int width = sizeof(Vector) / sizeof(double);

inline Vector load(const double* from) {
  Vector v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

inline void store(double* to, Vector v) {
  __builtin_memcpy(to, &v, sizeof v);
}

/// T is Vector or double; `at` loads one from an address.
template <bool poisson, class T, class Load>
[[gnu::always_inline]] inline T updated(const RowsTask& task, const double* now, const double* g,
                                        Load at) {
  const T x = at(now - 1) + at(now + 1);
  const T y = at(now - task.now_stride_y) + at(now + task.now_stride_y);
  const T z = at(now - task.now_stride_z) + at(now + task.now_stride_z);
  T sum = (x + y) + z;
  if constexpr (poisson) sum -= at(g);
  return sum * sixth;
}

template <bool streaming, bool poisson>
void update(const RowsTask& task) {
  const auto one = [](const double* from) { return *from; };
  for (int j = 0; j < task.rows; ++j) {
    const double* now = task.now + j * task.now_stride_y;
    double* next = task.next + j * task.next_stride_y;
    const double* g = poisson ? task.g + j * task.g_stride_y : now;
    int i = 0;
    if constexpr (streaming) {
      constexpr auto unit = sizeof(Vector);
      while (i < task.n && reinterpret_cast<std::size_t>(next + i) % unit != 0) {
        next[i] = updated<poisson, double>(task, now + i, g + i, one);
        ++i;
      }
    }
    for (; i + width <= task.n; i += width) {
      const Vector v = updated<poisson, Vector>(task, now + i, g + i, load);
#if defined(__x86_64__)
      if constexpr (streaming) {
        stream(next + i, v);
        continue;
      }
#endif
      store(next + i, v);
    }
    for (; i < task.n; ++i) next[i] = updated<poisson, double>(task, now + i, g + i, one);
  }
}

void cached(const RowsTask& task) {
  task.g == nullptr ? update<false, false>(task) : update<false, true>(task);
}

#if defined(__x86_64__)
void streaming(const RowsTask& task) {
  task.g == nullptr ? update<true, false>(task) : update<true, true>(task);
}
void fence() {
  _mm_sfence();
}
constexpr JacobiRows table{InstructionSet::PLAIT_ISA, cached, streaming, fence};
#else
void fence() {}
constexpr JacobiRows table{InstructionSet::PLAIT_ISA, cached, cached, fence};
#endif

}  // namespace

const JacobiRows& rows() {
  return table;
}

}  // namespace plait::detail::PLAIT_ISA
