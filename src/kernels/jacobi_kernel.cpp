// SPDX-License-Identifier: BSD-3-Clause
// The 6-point Jacobi update of a box: blocked for the caches, with stores chosen by the size.
#include "plait/jacobi_kernel.hpp"

#include <algorithm>

#include "kernels/block_rows.hpp"
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
  double bytes = 2.0 * sizeof(double);  // of both fields
  for (const int cells : own) bytes *= cells;
  const auto share = static_cast<double>(detail::last_cache_share(ranks_on_node));
  streaming_ = detail::has_streaming_stores() &&
               (stores == Stores::streaming || (stores == Stores::automatic && bytes > share));
  block_rows_ = detail::block_rows(own, threads, ranks_on_node, streaming_);
}

void JacobiKernel::operator()(const Field<double>& now, Field<double>& next, const Box& box,
                              const Field<double>* g) const {
  detail::update_box(*rows_, streaming_, block_rows_, now, next, box, g);
}

const char* JacobiKernel::instruction_set() const {
  return detail::name_of(rows_->set);
}

}  // namespace plait
