// SPDX-License-Identifier: BSD-3-Clause
// Multiplies the local block, adds up the rows, and sends them to the transpose partner.
#include "nas_product.hpp"

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace plait::cg {
namespace {

constexpr int kRowTag = 1;  // of the sums over a row
constexpr int kFirstGrainTag = 100;

}  // namespace

int parts_of_grain(int grain_rows) {
  return (grain_rows + kMostPartRows - 1) / kMostPartRows;
}

std::vector<int> cuts_of(const NasGrid& grid, int grain_rows) {
  std::vector<int> cuts;
  const auto add = [&](const Span& rows) {
    for (int first = 0; first < rows.count; first += grain_rows) cuts.push_back(rows.first + first);
  };
  if (grid.kept.first > 0) add({0, grid.kept.first});
  add(grid.kept);
  const int end = grid.kept.first + grid.kept.count;
  if (end < grid.rows.count) add({end, grid.rows.count - end});
  return cuts;
}

NasProduct::NasProduct(MPI_Comm comm, const NasGrid& grid, SparseBlock matrix, Model model,
                       int threads, int grain_rows, int grains_before)
    : comm_(comm),
      grid_(grid),
      matrix_(std::move(matrix)),
      threads_(threads),
      team_(static_cast<std::size_t>(grid.columns.count), threads),
      grain_rows_(grain_rows),
      sums_(static_cast<std::size_t>(grid.rows.count)),
      received_(static_cast<std::size_t>(grid.rows.count)) {
  MPI_Comm_rank(comm, &rank_);
  if (model == Model::tc && !grid_.exchanges.empty()) set_grains(grain_rows, grains_before);
}

void NasProduct::set_grains(int grain_rows, int grains_before) {
  grain_rows_ = grain_rows;
  GrainOptions options;
  options.threads = threads_;
  options.grains_before =
      grains_before > 0 ? grains_before * parts_of_grain(grain_rows) : grains_before;
  block_ = std::make_unique<GrainBlock>("product", options);
  make_grains();
}

void NasProduct::multiply(const double* p, double* q) {
  if (grid_.exchanges.empty()) {
    multiply_local(p, q);
  } else if (block_) {
    p_ = p;
    q_ = q;
    block_->run();
    message_s_ += block_->times().communicating_s;
  } else {
    multiply_blocking(p, q);
  }
}

/// Runs an exchange in the master, while other threads of a region wait.
template <class Exchange>
void NasProduct::communicate(const Exchange& exchange) {
#pragma omp master
  {
    const double start = MPI_Wtime();
    exchange();
    message_s_ += MPI_Wtime() - start;
  }
#pragma omp barrier
}

void NasProduct::multiply_local(const double* p, double* w) {
  if (omp_in_parallel() == 0) {
    matrix_.multiply(p, w);
    return;
  }
  for (int share = omp_get_thread_num(); share < threads_; share += omp_get_num_threads()) {
    matrix_.multiply_share(share, p, w);
  }
#pragma omp barrier
}

void NasProduct::multiply_blocking(const double* p, double* q) {
  multiply_local(p, sums_.data());
  for (const Exchange& exchange : grid_.exchanges) {
    communicate([&] {
      MPI_Sendrecv(sums_.data() + exchange.send.first, exchange.send.count, MPI_DOUBLE,
                   exchange.partner, kRowTag, received_.data() + exchange.receive.first,
                   exchange.receive.count, MPI_DOUBLE, exchange.partner, kRowTag, comm_,
                   MPI_STATUS_IGNORE);
    });
    team_.add(received_.data() + exchange.receive.first, sums_.data() + exchange.receive.first,
              static_cast<std::size_t>(exchange.receive.count));
  }
  const double* kept = sums_.data() + grid_.kept.first;
  if (grid_.transpose_partner == rank_) {
    team_.copy(kept, q, static_cast<std::size_t>(grid_.kept.count));
    return;
  }
  communicate([&] {
    MPI_Sendrecv(kept, grid_.kept.count, MPI_DOUBLE, grid_.transpose_partner, kRowTag, q,
                 grid_.columns.count, MPI_DOUBLE, grid_.transpose_partner, kRowTag, comm_,
                 MPI_STATUS_IGNORE);
  });
}

void NasProduct::add_over_row(double* values, int count) {
  communicate([&] {
    std::copy_n(values, count, row_sums_.begin());
    std::array<double, 2> other{};
    for (const Exchange& exchange : grid_.exchanges) {
      MPI_Sendrecv(row_sums_.data(), count, MPI_DOUBLE, exchange.partner, kRowTag, other.data(),
                   count, MPI_DOUBLE, exchange.partner, kRowTag, comm_, MPI_STATUS_IGNORE);
      for (std::size_t i = 0; i < other.size(); ++i) row_sums_[i] += other[i];
    }
  });
  std::copy_n(row_sums_.begin(), count, values);
#pragma omp barrier  // others still copy
}

double NasProduct::take_message_seconds() {
  return std::exchange(message_s_, 0);
}

int NasProduct::grains_in(const Span& rows) const {
  return (rows.count + grain_rows_ - 1) / grain_rows_;
}

Span NasProduct::grain_of(const Span& rows, int grain) const {
  const int first = std::min(grain * grain_rows_, rows.count);
  return {rows.first + first, std::min(grain_rows_, rows.count - first)};
}

/// Viet's P_i and M_i (section 6.2): as soon as the sums of a grain of rows are computed, they go
/// through all exchanges and to the transpose partner, while the next grains are computed. On a
/// grid that is not square, the rows that the first partner keeps come first: their messages travel
/// while the own ones are computed.
void NasProduct::make_grains() {
  const Span kept = grid_.kept;
  const Span sent = grid_.exchanges.front().send;
  const bool halves = sent.first != kept.first;
  std::vector<GrainBlock::Task> sent_tasks, kept_tasks;
  if (halves) sent_tasks = declare_products(sent);
  kept_tasks = declare_products(kept);
  if (!halves) sent_tasks = kept_tasks;

  const int stages = static_cast<int>(grid_.exchanges.size()) + 1;
  const int grains =
      std::max({grains_in(kept), grains_in(sent), grains_in({0, grid_.columns.count})});
  // Messages in flight before the thread waits for the first of them. Exchanges of kept rows follow
  // those of all others, because their sums are computed later.
  constexpr int kAhead = 2;
  const auto delay = [&](int stage) {
    return halves && stage > 0 ? grains + kAhead * (stage - 1) : kAhead * stage;
  };
  std::vector<std::vector<GrainBlock::Task>> messages(static_cast<std::size_t>(stages));
  for (int turn = 0; turn < grains + delay(stages - 1); ++turn) {
    for (int stage = stages - 1; stage >= 0; --stage) {
      const int grain = turn - delay(stage);
      if (grain < 0 || grain >= grains) continue;
      const auto place = static_cast<std::size_t>(grain);
      const auto at = static_cast<std::size_t>(stage);
      const GrainBlock::Task message = block_->begin_communication(
          "M", 1, [this, at, grain](int, std::vector<MPI_Request>& requests) {
            if (at < grid_.exchanges.size()) {
              exchange_grain(at, grain, requests);
            } else {
              transpose_grain(grain, requests);
            }
          });
      if (stage == 0 && place < sent_tasks.size()) block_->after(message, sent_tasks[place]);
      if (stage == 1 && halves && place < kept_tasks.size()) {
        block_->after(message, kept_tasks[place]);
      }
      if (stage > 0) block_->after(message, messages[at - 1][place]);
      messages[at].push_back(message);
    }
  }
}

/// The products of rows, grain by grain; the parts of a grain are bands of the matrix.
std::vector<GrainBlock::Task> NasProduct::declare_products(const Span& rows) {
  std::vector<GrainBlock::Task> tasks;
  int band = 0;
  for (int grain = 0; grain < grains_in(rows); ++grain) {
    const Span own = grain_of(rows, grain);
    while (matrix_.first_row(band) < own.first) ++band;
    int end = band;
    while (end < matrix_.bands() && matrix_.first_row(end) < own.first + own.count) ++end;
    tasks.push_back(block_->compute("P", end - band, [this, band](int part) {
      matrix_.multiply_band(band + part, p_, sums_.data());
    }));
    band = end;
  }
  return tasks;
}

void NasProduct::add_received(const Span& rows) {
  for (int i = rows.first; i < rows.first + rows.count; ++i) {
    sums_[static_cast<std::size_t>(i)] += received_[static_cast<std::size_t>(i)];
  }
}

void NasProduct::exchange_grain(std::size_t stage, int grain, std::vector<MPI_Request>& requests) {
  const Exchange& exchange = grid_.exchanges[stage];
  const Span receive = grain_of(exchange.receive, grain);
  const Span send = grain_of(exchange.send, grain);
  if (stage > 0) add_received(receive);
  const int tag = kFirstGrainTag + grain;
  if (receive.count > 0) {
    MPI_Irecv(received_.data() + receive.first, receive.count, MPI_DOUBLE, exchange.partner, tag,
              comm_, &requests.emplace_back());
  }
  if (send.count > 0) {
    MPI_Isend(sums_.data() + send.first, send.count, MPI_DOUBLE, exchange.partner, tag, comm_,
              &requests.emplace_back());
  }
}

void NasProduct::transpose_grain(int grain, std::vector<MPI_Request>& requests) {
  const Span send = grain_of(grid_.kept, grain);
  const Span receive = grain_of({0, grid_.columns.count}, grain);
  add_received(send);
  if (grid_.transpose_partner == rank_) {
    std::copy_n(sums_.data() + send.first, send.count, q_ + receive.first);
    return;
  }
  const int tag = kFirstGrainTag + grain;
  if (receive.count > 0) {
    MPI_Irecv(q_ + receive.first, receive.count, MPI_DOUBLE, grid_.transpose_partner, tag, comm_,
              &requests.emplace_back());
  }
  if (send.count > 0) {
    MPI_Isend(sums_.data() + send.first, send.count, MPI_DOUBLE, grid_.transpose_partner, tag,
              comm_, &requests.emplace_back());
  }
}

}  // namespace plait::cg
