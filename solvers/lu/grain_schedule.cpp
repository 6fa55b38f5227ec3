// SPDX-License-Identifier: BSD-3-Clause
// Declares the tasks of each step and their dependencies.
#include "grain_schedule.hpp"

#include <algorithm>

namespace plait::lu {

void GrainSchedule::run() {
  all_.begin_panel(0);
  all_.end_panel(0);
  Tiles before;
  for (int step = 0; step < all_.steps(); ++step) {
    const Tiles now = all_.tiles(all_.panel(step));
    all_.row_swap_.plan(all_.matrix_, all_.panel(step), all_.options_.pivoting);
    GrainOptions options;
    options.threads = all_.options_.threads;
    options.grains_before = 0;  // the next panel must be sent as early as possible
    GrainBlock block("step of LU", options);
    block.on_progress([this] { all_.broadcast_.progress(); });
    declare(block, step, before, now);
    block.run();
    if (step + 1 < all_.steps()) all_.end_panel(step + 1);
    before = now;
  }
}

/// Threads take grains in the order of declaration. What depends on a product is declared one
/// product later, so that threads find it complete, and what depends on messages after all
/// products; but all other ranks wait for the next panel, so its columns come as early as possible.
void GrainSchedule::declare(GrainBlock& block, int step, const Tiles& before, const Tiles& now) {
  const auto products = static_cast<int>(before.rest.size());
  std::vector<Columns> columns;
  if (!now.next.empty()) columns.push_back({.range = now.next, .next = true});
  for (const Range& range : now.rest) columns.push_back({.range = range});
  const bool exchanges = all_.grid_.rows() > 1;
  for (Columns& one : columns) {
    for (int i = 0; i < products; ++i) {
      if (before.rest[static_cast<std::size_t>(i)].overlaps(one.range)) one.last_pending = i;
    }
    one.packed_after = std::clamp(one.last_pending + (one.next ? 0 : 1), 0, products);
    const int wait = one.next ? (exchanges ? 1 : 0) : exchanges ? products : 1;
    one.solved_after = std::min(one.packed_after + wait, products);
  }
  const bool more = step + 1 < all_.steps();
  if (more && !all_.has_panel(step + 1)) {
    block.communicate("panel", 1, [this, step](int) { all_.begin_panel(step + 1); });
  }
  pending_.clear();
  for (int i = 0; i <= products; ++i) {
    if (i < products) {
      const Range range = before.rest[static_cast<std::size_t>(i)];
      pending_.push_back(
          block.compute("product", static_cast<int>(before.rows.size()),
                        [this, step, range, rows = before.rows](int grain) {
                          all_.multiply(step - 1, rows[static_cast<std::size_t>(grain)], range);
                        }));
    }
    for (std::size_t n = 0; n < columns.size(); ++n) {
      if (columns[n].packed_after == i) declare_exchange(block, static_cast<int>(n), columns[n]);
    }
    for (const Columns& one : columns) {
      if (one.solved_after == i) declare_solve(block, step, one, now);
    }
  }
}

/// Packing and exchange of rows. On a grid of one row there is nothing to exchange, and the task
/// only stands for the products before.
void GrainSchedule::declare_exchange(GrainBlock& block, int number, Columns& columns) {
  const Range range = columns.range;
  const auto pack = block.compute(
      "pack", 1, [this, range](int) { all_.row_swap_.pack(all_.matrix_, range, range); });
  for (int i = 0; i <= columns.last_pending; ++i) {
    block.after(pack, pending_[static_cast<std::size_t>(i)]);
  }
  columns.exchange = pack;
  for (int step = 0; step < all_.row_swap_.steps(range); ++step) {
    const auto swap = block.begin_communication(
        "swap", 1, [this, range, step, number](int, std::vector<MPI_Request>& requests) {
          all_.row_swap_.begin_step(range, step, number, requests);
        });
    block.after(swap, columns.exchange);
    columns.exchange = swap;
  }
}

/// The rows of U; for the columns of the next panel also their products, and the panel itself.
void GrainSchedule::declare_solve(GrainBlock& block, int step, const Columns& columns,
                                  const Tiles& now) {
  const Range range = columns.range;
  const auto solve = block.compute(
      "solve", 1, [this, step, range](int) { all_.solve_columns(step, range, range); });
  block.after(solve, columns.exchange);
  if (!columns.next) return;
  const auto update = block.compute(
      "update", static_cast<int>(now.rows.size()), [this, step, range, rows = now.rows](int grain) {
        all_.multiply(step, rows[static_cast<std::size_t>(grain)], range);
      });
  block.after(update, solve);
  const auto factor =
      block.communicate("panel", 1, [this, step](int) { all_.begin_panel(step + 1); });
  block.after(factor, update);
  block.after(factor, solve);
}

}  // namespace plait::lu
