// SPDX-License-Identifier: BSD-3-Clause
// Faces are packed row by row; planes of the update are divided evenly among the threads.
#include "by_hand.hpp"

#include <omp.h>

#include <cstring>

namespace plait::bench {

namespace {

enum class Copy { out_of_field, into_field };

/// Copies plane k of a field's own cells to or from a buffer.
void copy_plane(const FieldView& field, int k, double* buffer, Copy direction) {
  const auto row = static_cast<std::size_t>(field.own[0]);
  for (int j = 0; j < field.own[1]; ++j, buffer += row) {
    void* cells = field.at(0, j, k);
    if (direction == Copy::out_of_field)
      std::memcpy(buffer, cells, row * sizeof(double));
    else
      std::memcpy(cells, buffer, row * sizeof(double));
  }
}

}  // namespace

ByHand::ByHand(MPI_Comm comm, int below, int above, StepWork& work)
    : comm_(comm), work_(work), neighbours_{below, above} {
  for (const FieldView& field : work.exchanged()) {
    const auto plane =
        static_cast<std::size_t>(field.own[0]) * static_cast<std::size_t>(field.own[1]);
    for (int side = 0; side < 2; ++side) {
      sent_.emplace_back(plane);
      received_.emplace_back(plane);
    }
  }
}

void ByHand::start() {
  requests_.clear();
  const auto fields = work_.exchanged();
  for (std::size_t i = 0; i < received_.size(); ++i) {
    // Data from below was sent upwards, and vice versa.
    MPI_Irecv(received_[i].data(), static_cast<int>(received_[i].size()), MPI_DOUBLE,
              neighbours_[i % 2], static_cast<int>(i ^ 1U), comm_, &requests_.emplace_back());
  }
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    const FieldView& field = fields[i / 2];
    if (neighbours_[i % 2] != MPI_PROC_NULL)
      copy_plane(field, i % 2 == 0 ? 0 : field.own[2] - 1, sent_[i].data(), Copy::out_of_field);
    MPI_Isend(sent_[i].data(), static_cast<int>(sent_[i].size()), MPI_DOUBLE, neighbours_[i % 2],
              static_cast<int>(i), comm_, &requests_.emplace_back());
  }
}

void ByHand::finish() {
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  const auto fields = work_.exchanged();
  for (std::size_t i = 0; i < received_.size(); ++i) {
    const FieldView& field = fields[i / 2];
    if (neighbours_[i % 2] != MPI_PROC_NULL)
      copy_plane(field, i % 2 == 0 ? -1 : field.own[2], received_[i].data(), Copy::into_field);
  }
}

void ByHand::update_parallel(const Box& box) {
#pragma omp parallel
  {
    const int threads = omp_get_num_threads(), thread = omp_get_thread_num();
    Box part = box;
    part.first[2] = box.first[2] + box.extent(2) * thread / threads;
    part.last[2] = box.first[2] + box.extent(2) * (thread + 1) / threads;
    if (!part.empty()) work_.update(part);
  }
}

void ByHand::blocking_step() {
  exchange();
  compute();
}

void ByHand::nonblocking_step() {
  start();
  Box interior = work_.own();
  if (neighbours_[0] != MPI_PROC_NULL) ++interior.first[2];
  if (neighbours_[1] != MPI_PROC_NULL) --interior.last[2];
  update_parallel(interior);
  finish();
  Box below = work_.own(), above = work_.own();
  below.last[2] = interior.first[2];
  above.first[2] = interior.last[2];
  for (const Box& side : {below, above}) {
    if (!side.empty()) work_.update(side);
  }
  work_.next();
}

void ByHand::exchange() {
  start();
  finish();
}

void ByHand::compute() {
  update_parallel(work_.own());
  work_.next();
}

void ByHand::compute_by_one() {
  work_.update(work_.own());
  work_.next();
}

}  // namespace plait::bench
