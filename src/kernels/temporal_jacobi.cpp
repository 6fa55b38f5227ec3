// SPDX-License-Identifier: BSD-3-Clause
// Temporal blocking of the Jacobi update: a wavefront along z over slanted tiles of rows.
#include "plait/temporal_jacobi.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "kernels/cache_sizes.hpp"
#include "kernels/jacobi_rows.hpp"
#include "plait/error.hpp"

namespace plait {
namespace {

using detail::planes_at_once;

int quotient_up(int a, int b) {
  return (a + b - 1) / b;
}

/// Completed steps of a tile. It has its own cache line because another thread reads it.
struct alignas(64) Progress {
  std::atomic<int> steps{0};
};

/// Waits until `progress` has completed `step`. The threads of a team run concurrently unless the
/// node is oversubscribed; for that case the waiting thread yields its core.
void wait_for(const Progress& progress, int step) {
  for (int polls = 0; progress.steps.load(std::memory_order_acquire) <= step; ++polls) {
    if (polls > 1000) std::this_thread::yield();
  }
}

/// The data of one call that all threads share. Sweep m (from 0) computes level m + 1 of the values
/// from level m. Level m is in field m % 2.
class Wave {
public:
  Wave(const std::array<Field<double>*, 2>& fields, const Field<double>* g, int sweeps,
       const std::array<bool, 6>& has_neighbour, const std::array<Side, 6>& sides)
      : fields_(fields), g_(g), sweeps_(sweeps), has_neighbour_(has_neighbour), sides_(sides) {
    const Box widest = region(0);
    const Box last = region(sweeps - 1);
    first_row_ = widest.first[1];
    first_plane_ = widest.first[2];
    rows_ = last.last[1] + sweeps - 1 - first_row_;
    steps_ = quotient_up(last.last[2] + sweeps - 1 - first_plane_, planes_at_once);
  }

  /// Rows of all tiles: those of the last sweep's region plus those by which it has moved down.
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int steps() const { return steps_; }

  /// Runs all sweeps of one step on a tile, planes_at_once planes per sweep. Each sweep is one
  /// plane and one row behind the sweep before it. So the neighbours' values that it reads are
  /// complete, and those that it overwrites, two sweeps old, are no longer needed. The previous
  /// tile must have completed the same step.
  void advance(const detail::JacobiRows& kernel, int first_of_tile, int rows_of_tile,
               int step) const {
    for (int sweep = 0; sweep < sweeps_; ++sweep) {
      Box slab = region(sweep);
      const int row = first_row_ + first_of_tile - sweep;
      const int plane = first_plane_ + step * planes_at_once - sweep;
      slab.first[1] = std::max(slab.first[1], row);
      slab.last[1] = std::min(slab.last[1], row + rows_of_tile);
      slab.first[2] = std::max(slab.first[2], plane);
      slab.last[2] = std::min(slab.last[2], plane + planes_at_once);
      if (slab.empty()) continue;
      detail::RowsTask task = update_of(sweep, slab);
      const int next_plane = first_plane_ + (step + 1) * planes_at_once;
      fetch_ahead(task, sweep, slab, first_row_ + first_of_tile, next_plane);
      kernel.cached(task);
    }
  }

private:
  /// The cells that a sweep updates: own cells, and one layer of a neighbour's cells for each sweep
  /// that follows.
  [[nodiscard]] Box region(int sweep) const {
    Box box{{0, 0, 0}, fields_[0]->own_cells()};
    const int layers = sweeps_ - 1 - sweep;
    for (std::size_t d = 0; d < 3; ++d) {
      if (has_neighbour_[2 * d]) box.first[d] -= layers;
      if (has_neighbour_[2 * d + 1]) box.last[d] += layers;
    }
    return box;
  }

  [[nodiscard]] detail::RowsTask update_of(int sweep, const Box& box) const {
    Field<double>& now = *fields_[static_cast<std::size_t>(sweep % 2)];
    Field<double>& next = *fields_[static_cast<std::size_t>((sweep + 1) % 2)];
    mirror(now, box);
    const auto [x, y, z] = box.first;
    detail::RowsTask task;
    task.now = now.row(y, z) + x;
    task.next = next.row(y, z) + x;
    task.now_stride_y = now.stride_y();
    task.now_stride_z = now.stride_z();
    task.next_stride_y = next.stride_y();
    task.next_stride_z = next.stride_z();
    if (g_ != nullptr) {
      task.g = g_->row(y, z) + x;
      task.g_stride_y = g_->stride_y();
      task.g_stride_z = g_->stride_z();
    }
    task.n = box.extent(0);
    task.rows = box.extent(1);
    task.planes = box.extent(2);
    return task;
  }

  /// Prefetches for the next step, whose first sweep reads planes of the first field and writes
  /// planes of the second that are still in memory. Each sweep of this step asks for one of these
  /// planes (for two if there are few sweeps), so the memory is busy all the time.
  void fetch_ahead(detail::RowsTask& task, int sweep, const Box& slab, int first_row,
                   int next_plane) const {
    const Box widest = region(0);
    const int rows = slab.extent(1);
    if (rows > widest.extent(1)) return;
    const int row = std::clamp(first_row, widest.first[1], widest.last[1] - rows);
    const int planes = sweeps_ >= 2 * planes_at_once ? 1 : 2;
    for (int i = 0; i < planes; ++i) {
      const int plane = sweep * planes + i;
      if (plane >= 2 * planes_at_once) return;
      const bool read = plane < planes_at_once;
      const Field<double>& field = *fields_[read ? 0 : 1];
      // A sweep also reads the plane after those that it updates.
      const int z = next_plane + plane % planes_at_once + (read ? 1 : 0);
      if (z > widest.last[2]) continue;
      task.ahead[i] = field.row(row, z) + slab.first[0];
      task.ahead_stride_y = field.stride_y();
    }
  }

  [[nodiscard]] bool mirrored(std::size_t side) const {
    return !has_neighbour_[side] && sides_[side] == Side::mirror;
  }

  /// Fills the mirrored ghosts that the update of `box` reads. No other thread uses them: only the
  /// update of the cells next to a ghost reads it.
  void mirror(Field<double>& field, const Box& box) const {
    for (std::size_t side = 0; side < 6; ++side) {
      const std::size_t d = side / 2;
      const bool high = side % 2 == 1;
      const int end = fields_[0]->own_cells()[d];
      if (!mirrored(side) || (high ? box.last[d] != end : box.first[d] != 0)) continue;
      Box cells = box;
      cells.first[d] = high ? end - 1 : 0;
      cells.last[d] = cells.first[d] + 1;
      const int move = high ? 1 : -1;
      for (int k = cells.first[2]; k < cells.last[2]; ++k) {
        for (int j = cells.first[1]; j < cells.last[1]; ++j) {
          const double* from = field.row(j, k) + cells.first[0];
          double* to = field.row(j + (d == 1 ? move : 0), k + (d == 2 ? move : 0)) +
                       cells.first[0] + (d == 0 ? move : 0);
          std::copy(from, from + cells.extent(0), to);
        }
      }
    }
  }

  std::array<Field<double>*, 2> fields_;
  const Field<double>* g_;
  int sweeps_;
  const std::array<bool, 6>& has_neighbour_;
  const std::array<Side, 6>& sides_;
  int first_row_ = 0;
  int first_plane_ = 0;
  int rows_ = 0;
  int steps_ = 0;
};

void check_field(const Field<double>& field, const Int3& own, int ghost) {
  if (field.own_cells() == own && field.ghost() >= ghost) return;
  const auto shape = [](const Int3& cells, int layers) {
    return std::to_string(cells[0]) + "x" + std::to_string(cells[1]) + "x" +
           std::to_string(cells[2]) + " cells with " + std::to_string(layers) + " ghost layers";
  };
  throw Error("a field of " + shape(field.own_cells(), field.ghost()),
              "this number of sweeps at once needs " + shape(own, ghost),
              "create the fields with TemporalJacobi::ghost() ghost layers");
}

}  // namespace

TemporalJacobi::TemporalJacobi(const Int3& own, int sweeps, int threads,
                               const std::array<bool, 6>& has_neighbour,
                               const std::array<Side, 6>& sides, int ranks_on_node, int tile_rows)
    : own_(own),
      sweeps_(sweeps),
      threads_(threads),
      has_neighbour_(has_neighbour),
      sides_(sides),
      tile_rows_(tile_rows),
      rows_(&detail::jacobi_rows()) {
  if (sweeps < 1 || threads < 1) {
    throw Error(
        std::to_string(sweeps) + " sweeps at once by " + std::to_string(threads) + " threads",
        "both must be at least 1", "give positive numbers");
  }
  if (tile_rows_ > 0) return;
  // The wave of a tile holds, in both fields, one plane per sweep plus the planes that are updated
  // together; each has the rows of the tile and those by which the tile moves. The waves of all
  // threads should fit half of the last-level cache, and each wave a few second-level caches: on
  // today's CPUs, a core's share of the last level is not larger. Tiles of more rows than
  // `most_rows` were not faster in measurements.
  const auto row_bytes =
      (static_cast<std::size_t>(own[0]) + 2 * static_cast<std::size_t>(sweeps)) * sizeof(double);
  const std::size_t planes = static_cast<std::size_t>(sweeps) + planes_at_once + 2;
  const std::size_t wave_bytes =
      std::min(detail::last_cache_share(ranks_on_node) / 2 / static_cast<std::size_t>(threads),
               6 * detail::cache_sizes().private_bytes);
  constexpr std::size_t least_rows = 16;
  constexpr std::size_t most_rows = 32;
  const std::size_t fitting = wave_bytes / (2 * planes * row_bytes);
  const auto moved = static_cast<std::size_t>(sweeps);
  const auto most = static_cast<int>(
      fitting > moved ? std::clamp(fitting - moved, least_rows, most_rows) : least_rows);
  const int rows = own[1] + sweeps;
  // The same number of tiles for every thread.
  const int tiles = quotient_up(quotient_up(rows, most), threads) * threads;
  tile_rows_ = quotient_up(rows, tiles);
}

int TemporalJacobi::ghost() const {
  const bool any =
      std::find(has_neighbour_.begin(), has_neighbour_.end(), true) != has_neighbour_.end();
  return any ? sweeps_ : 1;
}

void TemporalJacobi::operator()(Field<double>& a, Field<double>& b, const Field<double>* g) const {
  check_field(a, own_, ghost());
  check_field(b, own_, ghost());
  if (g != nullptr) check_field(*g, own_, ghost() - 1);
  const Wave wave({&a, &b}, g, sweeps_, has_neighbour_, sides_);
  const int tiles = quotient_up(wave.rows(), tile_rows_);
  std::vector<Progress> progress(static_cast<std::size_t>(tiles));
  // Each tile is one step behind the tile before it; threads take tiles in turn.
#pragma omp parallel num_threads(threads_)
  {
    const int team = omp_get_num_threads();
    for (int tile = omp_get_thread_num(); tile < tiles; tile += team) {
      const auto index = static_cast<std::size_t>(tile);
      for (int step = 0; step < wave.steps(); ++step) {
        if (tile > 0) wait_for(progress[index - 1], step);
        wave.advance(*rows_, tile * tile_rows_, tile_rows_, step);
        progress[index].steps.store(step + 1, std::memory_order_release);
      }
    }
  }
}

}  // namespace plait
