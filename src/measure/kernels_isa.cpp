// SPDX-License-Identifier: BSD-3-Clause
// The STREAM kernels, compiled once for each instruction set (PLAIT_ISA: portable, sse2, avx2,
// avx512).
//
// Nothing of the standard library may be instantiated here: the linker could keep a copy with
// instructions that another processor does not have.
#include <cstddef>

#include "measure/kernels.hpp"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace plait::measure::PLAIT_ISA {
namespace {

template <StreamKernel kernel>
inline double element(double x, double y, double q) {
  if constexpr (kernel == StreamKernel::copy) return x;
  if constexpr (kernel == StreamKernel::scale) return q * x;
  if constexpr (kernel == StreamKernel::add) return x + y;
  return x + q * y;
}

/// Ordinary stores, vectorized by the compiler. It must not replace the copy by memcpy, which
/// bypasses the caches itself (-fno-tree-loop-distribute-patterns).
template <StreamKernel kernel>
void stream(double* __restrict out, const double* __restrict x, const double* __restrict y,
            double q, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (kernel == StreamKernel::copy || kernel == StreamKernel::scale) {
      out[i] = element<kernel>(x[i], 0.0, q);
    } else {
      out[i] = element<kernel>(x[i], y[i], q);
    }
  }
}

#if defined(__AVX512F__)
constexpr int kLanes = 8;
#elif defined(__AVX2__)
constexpr int kLanes = 4;
#else
constexpr int kLanes = 2;
#endif
/// Chains of dependent operations: enough for two units with a latency of four or five cycles.
constexpr int kChains = 12;

/// Multiply-adds that do not depend on each other across chains and use no memory.
double peak(double factor, std::size_t n) {
  typedef double Lanes __attribute__((vector_size(kLanes * sizeof(double))));
  Lanes sums[kChains];
  const Lanes factors = factor - Lanes{};
  for (int i = 0; i < kChains; ++i) sums[i] = i + factors;
  for (std::size_t round = 0; round < n; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) {
#if defined(__AVX512F__)
      sums[i] = _mm512_fmadd_pd(sums[i], factors, factors);
#elif defined(__FMA__)
      sums[i] = _mm256_fmadd_pd(sums[i], factors, factors);
#else
      sums[i] = sums[i] * factors + factors;
#endif
    }
  }
  double all = 0;
  for (int i = 0; i < kChains; ++i) {
    for (int lane = 0; lane < kLanes; ++lane) all += sums[i][lane];
  }
  return all;
}
constexpr double kPeakFlops = 2.0 * kChains * kLanes;

#if PLAIT_NON_TEMPORAL

#if defined(__AVX512F__)
using Vector = __m512d;
inline Vector load(const double* from) {
  return _mm512_loadu_pd(from);
}
inline void store_bypassing_caches(double* to, Vector v) {
  _mm512_stream_pd(to, v);
}
inline Vector all(double v) {
  return _mm512_set1_pd(v);
}
#elif defined(__AVX2__)
using Vector = __m256d;
inline Vector load(const double* from) {
  return _mm256_loadu_pd(from);
}
inline void store_bypassing_caches(double* to, Vector v) {
  _mm256_stream_pd(to, v);
}
inline Vector all(double v) {
  return _mm256_set1_pd(v);
}
#else
using Vector = __m128d;
inline Vector load(const double* from) {
  return _mm_loadu_pd(from);
}
inline void store_bypassing_caches(double* to, Vector v) {
  _mm_stream_pd(to, v);
}
inline Vector all(double v) {
  return _mm_set1_pd(v);
}
#endif
constexpr std::size_t kWidth = sizeof(Vector) / sizeof(double);

template <StreamKernel kernel>
void stream_non_temporal(double* __restrict out, const double* __restrict x,
                         const double* __restrict y, double q, std::size_t n) {
  const Vector factor = all(q);
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    Vector v = load(x + i);
    if constexpr (kernel == StreamKernel::scale) v = v * factor;
    if constexpr (kernel == StreamKernel::add) v = v + load(y + i);
    if constexpr (kernel == StreamKernel::triad) v = v + load(y + i) * factor;
    store_bypassing_caches(out + i, v);
  }
  for (; i < n; ++i) {
    if constexpr (kernel == StreamKernel::copy || kernel == StreamKernel::scale) {
      out[i] = element<kernel>(x[i], 0.0, q);
    } else {
      out[i] = element<kernel>(x[i], y[i], q);
    }
  }
  _mm_sfence();
}

constexpr KernelTable kTable{
    peak,
    kPeakFlops,
    {{stream<StreamKernel::copy>, stream_non_temporal<StreamKernel::copy>},
     {stream<StreamKernel::scale>, stream_non_temporal<StreamKernel::scale>},
     {stream<StreamKernel::add>, stream_non_temporal<StreamKernel::add>},
     {stream<StreamKernel::triad>, stream_non_temporal<StreamKernel::triad>}}};

#else

constexpr KernelTable kTable{peak,
                             kPeakFlops,
                             {{stream<StreamKernel::copy>, nullptr},
                              {stream<StreamKernel::scale>, nullptr},
                              {stream<StreamKernel::add>, nullptr},
                              {stream<StreamKernel::triad>, nullptr}}};

#endif

}  // namespace

const KernelTable& kernels() {
  return kTable;
}

}  // namespace plait::measure::PLAIT_ISA
