// SPDX-License-Identifier: BSD-3-Clause
// The Jacobi update of rows, compiled once for each instruction set (PLAIT_ISA: baseline, avx2,
// avx512).
//
// Nothing of the standard library may be instantiated here: the linker could keep a copy with
// instructions that another processor does not have.
#include "kernels/jacobi_rows.hpp"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace plait::detail::PLAIT_ISA {
namespace {

constexpr double sixth = 1.0 / 6.0;

#if defined(__AVX512F__)
using Vector = __m512d;
inline void store_bypassing_caches(double* to, Vector v) {
  _mm512_stream_pd(to, v);
}
#elif defined(__AVX2__)
using Vector = __m256d;
inline void store_bypassing_caches(double* to, Vector v) {
  _mm256_stream_pd(to, v);
}
#elif defined(__x86_64__)
using Vector = __m128d;
inline void store_bypassing_caches(double* to, Vector v) {
  _mm_stream_pd(to, v);
}
#else
using Vector [[gnu::vector_size(16)]] = double;
inline void store_bypassing_caches(double* to, Vector v) {
  __builtin_memcpy(to, &v, sizeof v);
}
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

/// The row that is updated, in the first of the planes that are updated together.
struct Place {
  const double* now;
  double* next;
  const double* g;
  const double* ahead[2];  ///< as in RowsTask
  /// For streaming stores: the row below one that is updated later, in the second of its planes.
  const double* fresh = nullptr;
  bool fresh_is_first = false;  ///< first row of a block: the two rows above it are also fresh
};

/// New values, given the sum `x` of the neighbours along x. T is Vector or double; at() loads one.
template <bool poisson, class T, class Load>
[[gnu::always_inline]] inline T updated(const RowsTask& task, T x, const double* now,
                                        const double* g, Load at) {
  const T y = at(now - task.now_stride_y) + at(now + task.now_stride_y);
  const T z = at(now - task.now_stride_z) + at(now + task.now_stride_z);
  T sum = (x + y) + z;
  if constexpr (poisson) sum -= at(g);
  return sum * sixth;
}

/// Cells [i, i + count) where count < width.
template <int planes, bool poisson>
[[gnu::always_inline]] inline void update_few(const RowsTask& task, const Place& row, int i,
                                              int count) {
  for (int z = 0; z < planes; ++z) {
    const double* now = row.now + z * task.now_stride_z + i;
    const double* g = poisson ? row.g + z * task.g_stride_z + i : now;
    double* next = row.next + z * task.next_stride_z + i;
#if defined(__AVX512F__)
    const auto mask = static_cast<__mmask8>((1U << static_cast<unsigned>(count)) - 1U);
    const auto at = [mask](const double* from) { return _mm512_maskz_loadu_pd(mask, from); };
    _mm512_mask_storeu_pd(next, mask,
                          updated<poisson, Vector>(task, at(now - 1) + at(now + 1), now, g, at));
#else
    const auto at = [](const double* from) { return *from; };
    for (int c = 0; c < count; ++c) {
      next[c] = updated<poisson, double>(task, now[c - 1] + now[c + 1], now + c, g + c, at);
    }
#endif
  }
}

[[gnu::always_inline]] inline void prefetch_ahead(const Place& row, int i) {
  for (const double* ahead : row.ahead) {
    if (ahead != nullptr) __builtin_prefetch(ahead + i, 0, 2);
  }
}

#if defined(__AVX512F__)
/// Elements [by, by + width) of `low` followed by `high`.
template <int by>
[[gnu::always_inline]] inline Vector shifted(Vector low, Vector high) {
  return _mm512_castsi512_pd(_mm512_maskz_alignr_epi64(
      static_cast<__mmask8>(-1), _mm512_castpd_si512(high), _mm512_castpd_si512(low), by));
}

/// Updates whole vectors from cell i on, except the last ones of the row. An unaligned vector
/// crosses two cache lines. Here each aligned vector is loaded once, and the neighbours along x are
/// shifted out of it and the vectors beside it.
/// @return the first cell not updated
template <int planes, bool poisson>
[[gnu::always_inline]] inline int update_by_shifts(const RowsTask& task, const Place& row, int i) {
  if (i + 2 * width > task.n) return i;
  Vector before[planes];
  Vector here[planes];
  for (int z = 0; z < planes; ++z) {
    const double* now = row.now + z * task.now_stride_z + i;
    before[z] = _mm512_set1_pd(now[-1]);
    here[z] = load(now);
  }
  for (; i + 2 * width <= task.n; i += width) {
    prefetch_ahead(row, i);
    Vector v[planes];
    for (int z = 0; z < planes; ++z) {
      const double* now = row.now + z * task.now_stride_z + i;
      const double* g = poisson ? row.g + z * task.g_stride_z + i : now;
      const Vector after = load(now + width);
      const Vector left = shifted<width - 1>(before[z], here[z]);
      const Vector right = shifted<1>(here[z], after);
      v[z] = updated<poisson, Vector>(task, left + right, now, g, load);
      before[z] = here[z];
      here[z] = after;
    }
    for (int z = 0; z < planes; ++z) store(row.next + z * task.next_stride_z + i, v[z]);
  }
  return i;
}
#endif

// Cells by which prefetches run ahead, found by trial on Zen 5: `later` for data from memory,
// `soon` for data that may have to come from the second-level cache again.
constexpr int later = 800;
constexpr int soon = 192;

/// Prefetches data that is first used a row or more later, and, shortly before their use, all rows
/// that may not be in the first-level cache: a miss on one of those would wait behind the misses on
/// memory.
template <int planes>
[[gnu::always_inline]] inline void prefetch(const RowsTask& task, const Place& row, int i) {
  for (int z = 0; z < planes; ++z) {
    const double* fresh = row.fresh + z * task.now_stride_z + i;
    __builtin_prefetch(fresh, 0, 3);
    if (row.fresh_is_first) {
      __builtin_prefetch(fresh - task.now_stride_y, 0, 3);
      __builtin_prefetch(fresh - 2 * task.now_stride_y, 0, 3);
    }
  }
  const double* now = row.now + i + soon;
  for (int z = -1; z <= planes; ++z) {
    const bool updated = z >= 0 && z < planes;
    __builtin_prefetch(now + z * task.now_stride_z + (updated ? task.now_stride_y : 0), 0, 3);
  }
}

/// Updates `vectors` whole vectors from cell i on; the stores to each row are consecutive.
template <int planes, int vectors, bool streaming, bool poisson>
[[gnu::always_inline]] inline void update_vectors(const RowsTask& task, const Place& row, int i) {
  Vector v[planes][vectors];
  for (int c = 0; c < vectors; ++c, i += width) {
    streaming ? prefetch<planes>(task, row, i) : prefetch_ahead(row, i);
    for (int z = 0; z < planes; ++z) {
      const double* now = row.now + z * task.now_stride_z + i;
      const double* g = poisson ? row.g + z * task.g_stride_z + i : now;
      v[z][c] = updated<poisson, Vector>(task, load(now - 1) + load(now + 1), now, g, load);
    }
  }
  i -= vectors * width;
  for (int z = 0; z < planes; ++z) {
    for (int c = 0; c < vectors; ++c) {
      double* next = row.next + z * task.next_stride_z + i + c * width;
      streaming ? store_bypassing_caches(next, v[z][c]) : store(next, v[z][c]);
    }
  }
}

template <int planes, bool streaming, bool poisson>
[[gnu::always_inline]] inline void update_row(const RowsTask& task, const Place& row) {
  const auto beyond = reinterpret_cast<std::size_t>(row.next) % sizeof(Vector) / sizeof(double);
  int i = 0;
  if (beyond != 0) {
    const int head = width - static_cast<int>(beyond);
    i = head < task.n ? head : task.n;
    update_few<planes, poisson>(task, row, 0, i);
  }
#if defined(__AVX512F__)
  if constexpr (!streaming) i = update_by_shifts<planes, poisson>(task, row, i);
#endif
  if constexpr (streaming) {
    // Two lines of one row at a time are a few per cent faster than single lines of alternating
    // rows.
    for (; i + 2 * width <= task.n; i += 2 * width) {
      update_vectors<planes, 2, streaming, poisson>(task, row, i);
    }
  }
  for (; i + width <= task.n; i += width) {
    update_vectors<planes, 1, streaming, poisson>(task, row, i);
  }
  if (i < task.n) update_few<planes, poisson>(task, row, i, task.n - i);
}

/// Columns that are updated in all rows before the next columns. This is the layer condition in the
/// first-level cache: three old rows and a new one in each of `planes_at_once` planes, and one old
/// row on either side, fit 32 KiB.
constexpr int cached_columns = 192;

/// Sets the row to fetch from memory while row j of planes [z, z + planes) is updated: the lowest
/// row needed by the update that comes `later` cells further on, in these planes or, after their
/// last row, in the next ones.
template <int planes>
void set_fresh(const RowsTask& task, int z, int j, Place& row) {
  // For short rows that distance is counted in rows, for long rows in cells.
  const int rows_ahead = (later + task.n / 2) / task.n;
  int fresh_row = j + rows_ahead;
  if (fresh_row >= task.rows && z + 2 * planes <= task.planes) {
    z += planes;
    fresh_row -= task.rows;
    row.fresh_is_first = fresh_row == 0;
  }
  if (fresh_row >= task.rows) fresh_row = task.rows - 1;
  row.fresh = task.now + (z + 1) * task.now_stride_z + (fresh_row + 1) * task.now_stride_y +
              (rows_ahead == 0 ? later : 0);
}

/// Updates all rows of planes [z, z + planes).
template <int planes, bool streaming, bool poisson>
void update_planes(const RowsTask& task, int z) {
  RowsTask part = task;
  for (int x = 0; x < task.n; x += part.n) {
    // Streams from memory are prefetched along whole rows. A short remainder joins the last
    // columns.
    const int left = task.n - x;
    part.n = streaming || left < 3 * cached_columns / 2 ? left : cached_columns;
    for (int j = 0; j < task.rows; ++j) {
      const auto ahead = [&](const double* first) {
        return first == nullptr ? first : first + j * task.ahead_stride_y + x;
      };
      Place row{task.now + z * task.now_stride_z + j * task.now_stride_y + x,
                task.next + z * task.next_stride_z + j * task.next_stride_y + x,
                poisson ? task.g + z * task.g_stride_z + j * task.g_stride_y + x : nullptr,
                {ahead(task.ahead[0]), ahead(task.ahead[1])}};
      if constexpr (streaming) set_fresh<planes>(task, z, j, row);
      update_row<planes, streaming, poisson>(part, row);
    }
  }
}

template <bool streaming, bool poisson>
void update_block(const RowsTask& task) {
  constexpr int most = streaming ? streamed_planes : planes_at_once;
  int z = 0;
  for (; z + most <= task.planes; z += most) update_planes<most, streaming, poisson>(task, z);
  if (most > 2 && z + 2 <= task.planes) {
    update_planes<2, streaming, poisson>(task, z);
    z += 2;
  }
  if (z < task.planes) update_planes<1, streaming, poisson>(task, z);
}

template <bool streaming>
void update(const RowsTask& task) {
  task.g == nullptr ? update_block<streaming, false>(task) : update_block<streaming, true>(task);
}

void fence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

constexpr JacobiRows table{InstructionSet::PLAIT_ISA, update<false>, update<true>, fence};

}  // namespace

const JacobiRows& rows() {
  return table;
}

}  // namespace plait::detail::PLAIT_ISA
