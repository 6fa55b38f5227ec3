// SPDX-License-Identifier: BSD-3-Clause
// The 6-point Jacobi update of a box: blocked for the caches, stores as the size asks for.
#include "plait/jacobi_kernel.hpp"

#include <algorithm>

#include "kernels/cache_sizes.hpp"
#include "kernels/jacobi_box.hpp"

namespace plait {

namespace detail {

void update_box(const JacobiRows& rows, bool streaming, int block_rows, const Field<double>& now,
                Field<double>& next, const Box& box, const Field<double>* g) {
  if (box.empty()) return;
  RowsTask task;
  task.now_stride_y = now.stride_y();
  task.now_stride_z = now.stride_z();
  task.next_stride_y = next.stride_y();
  task.next_stride_z = next.stride_z();
  task.n = box.extent(0);
  task.planes = box.extent(2);
  if (g != nullptr) {
    task.g_stride_y = g->stride_y();
    task.g_stride_z = g->stride_z();
  }
  const int x = box.first[0];
  const int z = box.first[2];
  const RowsFunction update = streaming ? rows.streaming : rows.cached;
  for (int first = box.first[1]; first < box.last[1]; first += block_rows) {
    task.rows = std::min(block_rows, box.last[1] - first);
    task.now = now.row(first, z) + x;
    task.next = next.row(first, z) + x;
    if (g != nullptr) task.g = g->row(first, z) + x;
    update(task);
  }
  if (streaming) rows.fence();
}

}  // namespace detail

JacobiKernel::JacobiKernel(const Int3& own, int threads, int ranks_on_node, Stores stores)
    : rows_(&detail::jacobi_rows()) {
  const auto row_bytes = static_cast<std::size_t>(std::max(1, own[0])) * sizeof(double);
  const auto y = static_cast<std::size_t>(std::max(1, own[1]));
  const auto z = static_cast<std::size_t>(std::max(1, own[2]));
  const std::size_t share = detail::last_cache_share(ranks_on_node);
  streaming_ = detail::has_streaming_stores() &&
               (stores == Stores::streaming ||
                (stores == Stores::automatic && 2 * row_bytes * y * z > share));
  // Layer condition (Stengel 2010, section 1.3): an old value is loaded once if all layers of a
  // block that are in use stay in cache; half of the cache is for them. Streaming, where old values
  // are prefetched by the kernel itself, the second level is blocked for. Else the hardware
  // prefetches, which shorter runs of rows would break: there is no block while the layers fit the
  // last level.
  const auto team = static_cast<std::size_t>(std::max(1, threads));
  const std::size_t cache = streaming_ ? detail::cache_sizes().private_bytes : share / team;
  const std::size_t layers = detail::planes_at_once + 2;
  const std::size_t rows = cache / 2 / (layers * row_bytes);
  constexpr std::size_t least_rows = 8;
  block_rows_ = static_cast<int>(std::min(y, std::max(rows, least_rows)));
}

void JacobiKernel::operator()(const Field<double>& now, Field<double>& next, const Box& box,
                              const Field<double>* g) const {
  detail::update_box(*rows_, streaming_, block_rows_, now, next, box, g);
}

const char* JacobiKernel::instruction_set() const {
  return detail::name_of(rows_->set);
}

}  // namespace plait
