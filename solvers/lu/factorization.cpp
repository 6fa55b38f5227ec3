// SPDX-License-Identifier: BSD-3-Clause
// The steps of the block LU factorization, and the schedules without grains.
#include "factorization.hpp"

#include <cstdint>
#include <string>

#include "blas.hpp"
#include "grain_schedule.hpp"
#include "plait/environment.hpp"

namespace plait::lu {
namespace {

constexpr int kColumns = 512;    // of a grain
constexpr int kMostRows = 2048;  // of a grain
constexpr int kFewRows = 256;    // of a grain between two looks at messages

/// Rows of a grain: larger products pack their factors less often, but each thread needs a few
/// grains, and messages make progress between grains only.
int rows_of_grain(Range rows, Range columns, int threads, const ProcessGrid& grid) {
  if (grid.rows() > 1) return kFewRows;
  if (threads == 1 && grid.columns() == 1) return rows.last;  // one product
  const int along_columns = (columns.size() + kColumns - 1) / kColumns;
  int of = kMostRows;
  while (of > kColumns && std::int64_t{(rows.size() + of - 1) / of} * along_columns < 8 * threads) {
    of /= 2;
  }
  return of;
}

/// Cuts a range at multiples of `grain`, without pieces of less than half a grain at its start.
std::vector<Range> cut(Range range, int grain) {
  std::vector<Range> pieces;
  for (int first = range.first; first < range.last;) {
    const int cut = (first + grain / 2 + grain - 1) / grain * grain;
    const int last = std::min(std::max(cut, first + 1), range.last);
    pieces.push_back({first, last});
    first = last;
  }
  return pieces;
}

}  // namespace

Factorization::Factorization(const ProcessGrid& grid, Matrix& matrix,
                             const FactorizationOptions& options)
    : grid_(grid),
      matrix_(matrix),
      options_(options),
      panel_factorization_(grid, options.pivoting, options.block),
      broadcast_(grid.row(), options.broadcast),
      row_swap_(grid, options.swap, options.swap_threshold, options.block, matrix.local_columns) {
  for (int i = 0; i < kPanels; ++i) panels_.emplace_back(matrix.local_rows, options.block);
  for (Memory& memory : upper_) {
    memory = Memory::of_zeros(static_cast<std::size_t>(matrix.local_columns) *
                              static_cast<std::size_t>(options.block));
  }
}

double Factorization::doubles(int local_rows, int local_columns, int process_rows, int block) {
  return kPanels * static_cast<double>(Panel::doubles(local_rows, block)) +
         2.0 * local_columns * block +
         static_cast<double>(RowSwap::doubles(block, local_columns, process_rows));
}

Tiles Factorization::tiles(const Panel& panel) const {
  Tiles tiles;
  const int end = panel.end();
  int first = matrix_.columns.below(end);
  if (end < matrix_.size && matrix_.columns.owns(end)) {
    tiles.next = {first, matrix_.columns.below(std::min(end + options_.block, matrix_.size))};
    first = tiles.next.last;
  }
  // The columns of the panel after next are a piece of their own, since it waits for them.
  const int after_next = end + options_.block;
  if (after_next < matrix_.size && matrix_.columns.owns(after_next)) {
    const int last = matrix_.columns.below(std::min(after_next + options_.block, matrix_.size));
    tiles.rest.push_back({first, last});
    first = last;
  }
  const Range rows{matrix_.rows.below(end), matrix_.local_rows};
  const Range columns{first, matrix_.local_columns};
  const int grain = options_.grain;
  const std::vector<Range> others = cut(columns, grain > 0 ? grain : kColumns);
  tiles.rest.insert(tiles.rest.end(), others.begin(), others.end());
  tiles.rows = cut(rows, grain > 0 ? grain : rows_of_grain(rows, columns, options_.threads, grid_));
  return tiles;
}

void Factorization::begin_panel(int step) {
  Panel& next = panel(step);
  next.place(matrix_, options_.block, step * options_.block);
  if (has_panel(step)) panel_factorization_.factor(matrix_, next);
  broadcast_.start(next.diagonal(), next.count(), matrix_.columns.owner(next.first()));
}

void Factorization::end_panel(int step) {
  broadcast_.wait();
  const double column = panel(step).zero_column();
  if (column < 0) return;
  const std::string number = std::to_string(static_cast<long>(column) + 1);
  if (options_.pivoting == Pivoting::none) {
    throw CollectiveError("--pivoting none", "the pivot of column " + number + " is zero",
                          "use --pivoting partial");
  }
  throw CollectiveError("matrix", "singular: column " + number + " has no pivot",
                        "solve a system of full rank");
}

void Factorization::swap_columns(Range range) {
#pragma omp parallel for schedule(static) num_threads(threads_)
  for (int column = range.first; column < range.last; ++column) {
    row_swap_.pack(matrix_, range, {column, column + 1});
  }
  row_swap_.exchange(range);
}

void Factorization::solve_columns(int step, Range range, Range part) {
  const Panel& done = panel(step);
  const int width = done.width();
  row_swap_.unpack(matrix_, range, part, upper(step));
  double* u = upper(step) + static_cast<std::ptrdiff_t>(part.first) * width;
  solve_unit_lower(width, part.size(), done.diagonal(), width, u, width);
  if (!matrix_.rows.owns(done.first())) return;
  for (int column = part.first; column < part.last; ++column, u += width) {
    std::copy_n(u, width, matrix_.at(done.first_row(), column));
  }
}

void Factorization::multiply(int step, Range rows, Range columns) {
  const Panel& done = panel(step);
  multiply_subtract(rows.size(), columns.size(), done.width(),
                    done.lower() + (rows.first - done.first_row()), done.rows(),
                    upper(step) + static_cast<std::ptrdiff_t>(columns.first) * done.width(),
                    done.width(), matrix_.at(rows.first, columns.first), matrix_.stride);
}

/// With look-ahead, the panel of the next step is factored first, and its broadcast goes on beside
/// the rest of the update.
void Factorization::run_in_order() {
  begin_panel(0);
  end_panel(0);
  for (int step = 0; step < steps(); ++step) {
    const bool last = step + 1 == steps();
    const Tiles cuts = tiles(panel(step));
    const auto row_count = static_cast<int>(cuts.rows.size());
    row_swap_.plan(matrix_, panel(step), options_.pivoting);

    swap_columns(cuts.next);
    if (!cuts.next.empty()) {
      solve_columns(step, cuts.next, cuts.next);
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
      for (int i = 0; i < row_count; ++i) {
        multiply(step, cuts.rows[static_cast<std::size_t>(i)], cuts.next);
      }
    }
    if (options_.look_ahead && !last) begin_panel(step + 1);

    update(step, cuts);
    if (last) break;
    if (!options_.look_ahead) begin_panel(step + 1);
    end_panel(step + 1);
  }
}

void Factorization::update(int step, const Tiles& cuts) {
  const Range rest = cuts.rest_range();
  swap_columns(rest);
  if (threads_ == 1) {  // the product finds the rows that were swapped in the cache
    for (const Range& columns : cuts.rest) {
      solve_columns(step, rest, columns);
      for (const Range& rows : cuts.rows) {
        multiply(step, rows, columns);
        broadcast_.progress();
      }
    }
    return;
  }
  const auto row_count = static_cast<int>(cuts.rows.size());
  const auto column_count = static_cast<int>(cuts.rest.size());
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
  for (int j = 0; j < column_count; ++j) {
    solve_columns(step, rest, cuts.rest[static_cast<std::size_t>(j)]);
  }
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
  for (int grain = 0; grain < column_count * row_count; ++grain) {
    const auto row = static_cast<std::size_t>(grain % row_count);
    const auto column = static_cast<std::size_t>(grain / row_count);
    multiply(step, cuts.rows[row], cuts.rest[column]);
  }
}

void Factorization::run(ScheduleKind schedule) {
  if (schedule == ScheduleKind::tc) return GrainSchedule(*this).run();
  threads_ = schedule == ScheduleKind::mpi ? 1 : options_.threads;
  run_in_order();
}

}  // namespace plait::lu
