// SPDX-License-Identifier: BSD-3-Clause
// Derives row permutations from pivots, and exchanges the rows.
#include "row_swap.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace plait::lu {
namespace {

// Each exchange that is under way has tags of its own, all below what MPI guarantees (32767).
constexpr int kTags = 3;
constexpr int kMostAtOnce = 10'000;

std::size_t rows_of_columns(int block, int local_columns) {
  return static_cast<std::size_t>(block) * static_cast<std::size_t>(local_columns);
}

/// Offsets of pieces from their sizes.
template <class Pieces>
void set_offsets(Pieces& pieces) {
  int offset = 0;
  for (auto& piece : pieces) {
    piece.offset = offset;
    offset += piece.rows();
  }
}

}  // namespace

RowSwap::RowSwap(const ProcessGrid& grid, SwapKind kind, int threshold, int block,
                 int local_columns)
    : grid_(grid), kind_(kind), threshold_(threshold) {
  if (grid.rows() == 1) return;
  gathered_rows_ = Memory::of_zeros(rows_of_columns(block, local_columns));
  displaced_rows_ = Memory::of_zeros(rows_of_columns(block, local_columns));
}

std::size_t RowSwap::doubles(int block, int local_columns, int process_rows) {
  return process_rows == 1 ? 0 : 2 * rows_of_columns(block, local_columns);
}

void RowSwap::plan(const Matrix& matrix, const Panel& panel, Pivoting pivoting) {
  width_ = panel.width();
  root_ = matrix.rows.owner(panel.first());
  first_row_ = panel.first_row();
  only_root_ = pivoting == Pivoting::none;
  const auto count = static_cast<std::size_t>(grid_.rows());
  gathered_.assign(count, {});
  displaced_.assign(count, {});

  // content[row]: the row that is there after the exchanges so far.
  std::map<int, int> content;
  const auto at = [&](int row) -> int& { return content.try_emplace(row, row).first->second; };
  for (int i = 0; i < width_; ++i) {
    std::swap(at(panel.first() + i), at(static_cast<int>(panel.pivots()[i])));
  }
  for (const auto& [row, source] : content) {
    const bool is_top = row < panel.end();
    if (!is_top && source == row) continue;
    // A row that comes to a place below the diagonal block is always one of that block.
    const int other = is_top ? source : row;
    const auto part = static_cast<std::size_t>(matrix.rows.owner(other));
    Piece& piece = is_top ? gathered_[part] : displaced_[part];
    piece.top.push_back((is_top ? row : source) - panel.first());
    piece.local.push_back(matrix.rows.below(other));
  }
  set_offsets(gathered_);
  set_offsets(displaced_);
}

/// A column of a piece of a range.
double* RowSwap::place(Memory& memory, const Piece& piece, Range range, int column) {
  return memory.data() + static_cast<std::ptrdiff_t>(width_) * range.first +
         static_cast<std::ptrdiff_t>(piece.offset) * range.size() +
         static_cast<std::ptrdiff_t>(piece.rows()) * (column - range.first);
}

void RowSwap::pack(Matrix& matrix, Range range, Range part) {
  if (grid_.rows() == 1) return;
  const Piece& mine = gathered_[static_cast<std::size_t>(grid_.my_row())];
  for (int column = part.first; column < part.last; ++column) {
    const double* from = matrix.at(0, column);
    double* to = place(gathered_rows_, mine, range, column);
    for (const int row : mine.local) *to++ = from[row];
    if (grid_.my_row() != root_) continue;
    for (const Piece& piece : displaced_) {
      double* out = place(displaced_rows_, piece, range, column);
      for (const int row : piece.top) *out++ = from[first_row_ + row];
    }
  }
}

bool RowSwap::by_doubling(Range range) const {
  const bool few = kind_ == SwapKind::mix && range.size() <= threshold_;
  return kind_ == SwapKind::binary_exchange || few;
}

int RowSwap::steps(Range range) const {
  if (grid_.rows() == 1 || range.empty()) return 0;
  if (only_root_) return 1;
  return by_doubling(range)
             ? static_cast<int>(std::bit_width(static_cast<unsigned>(grid_.rows() - 1)))
             : grid_.rows() - 1;
}

void RowSwap::exchange(Range range) {
  std::vector<MPI_Request> requests;
  for (int step = 0; step < steps(range); ++step) {
    requests.clear();
    begin_step(range, step, 0, requests);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
}

void RowSwap::begin_step(Range range, int step, int number, std::vector<MPI_Request>& requests) {
  if (only_root_) {
    MPI_Ibcast(
        place(gathered_rows_, gathered_[static_cast<std::size_t>(root_)], range, range.first),
        width_ * range.size(), MPI_DOUBLE, root_, grid_.column(), &requests.emplace_back());
    return;
  }
  const int tag = number % kMostAtOnce * kTags;
  if (step == 0) exchange_displaced(range, tag, requests);
  if (by_doubling(range)) {
    gather_by_doubling(range, step, tag + 1, requests);
  } else {
    gather_round_ring(range, step, tag + 1, requests);
  }
}

void RowSwap::exchange_displaced(Range range, int tag, std::vector<MPI_Request>& requests) {
  for (int row = 0; row < grid_.rows(); ++row) {
    const Piece& piece = displaced_[static_cast<std::size_t>(row)];
    if (piece.rows() == 0 || row == root_) continue;
    double* data = place(displaced_rows_, piece, range, range.first);
    const int count = piece.rows() * range.size();
    if (grid_.my_row() == root_) {
      MPI_Isend(data, count, MPI_DOUBLE, row, tag, grid_.column(), &requests.emplace_back());
    } else if (grid_.my_row() == row) {
      MPI_Irecv(data, count, MPI_DOUBLE, root_, tag, grid_.column(), &requests.emplace_back());
    }
  }
}

/// Each rank has the pieces of the ranks from itself on; each step doubles their number.
void RowSwap::gather_by_doubling(Range range, int step, int tag,
                                 std::vector<MPI_Request>& requests) {
  const int size = grid_.rows();
  const int me = grid_.my_row();
  const int have = 1 << step;
  const int count = std::min(have, size - have);
  const auto each = [&](int first, auto call) {
    // Pieces are in a ring, so a sequence of them is one or two parts of memory.
    const int until_end = std::min(count, size - first);
    for (const auto& [from, pieces] : {std::pair{first, until_end}, {0, count - until_end}}) {
      if (pieces == 0) continue;
      const Piece& head = gathered_[static_cast<std::size_t>(from)];
      const Piece& tail = gathered_[static_cast<std::size_t>(from + pieces - 1)];
      const int rows = tail.offset + tail.rows() - head.offset;
      if (rows == 0) continue;
      call(place(gathered_rows_, head, range, range.first), rows * range.size(),
           from == first ? tag : tag + 1);
    }
  };
  each((me + have) % size, [&](double* data, int length, int own_tag) {
    MPI_Irecv(data, length, MPI_DOUBLE, (me + have) % size, own_tag, grid_.column(),
              &requests.emplace_back());
  });
  each(me, [&](double* data, int length, int own_tag) {
    MPI_Isend(data, length, MPI_DOUBLE, (me - have + size) % size, own_tag, grid_.column(),
              &requests.emplace_back());
  });
}

void RowSwap::gather_round_ring(Range range, int step, int tag,
                                std::vector<MPI_Request>& requests) {
  const int size = grid_.rows();
  const int me = grid_.my_row();
  const Piece& out = gathered_[static_cast<std::size_t>((me - step + size) % size)];
  const Piece& in = gathered_[static_cast<std::size_t>((me - step - 1 + size) % size)];
  MPI_Irecv(place(gathered_rows_, in, range, range.first), in.rows() * range.size(), MPI_DOUBLE,
            (me - 1 + size) % size, tag, grid_.column(), &requests.emplace_back());
  MPI_Isend(place(gathered_rows_, out, range, range.first), out.rows() * range.size(), MPI_DOUBLE,
            (me + 1) % size, tag, grid_.column(), &requests.emplace_back());
}

void RowSwap::unpack(Matrix& matrix, Range range, Range part, double* u) {
  for (int column = part.first; column < part.last; ++column) {
    double* own = matrix.at(0, column);
    double* rows_of_u = u + static_cast<std::ptrdiff_t>(column) * width_;
    if (grid_.rows() == 1) {
      unpack_alone(matrix, column, rows_of_u);
      continue;
    }
    for (const Piece& piece : gathered_) {
      const double* in = place(gathered_rows_, piece, range, column);
      for (const int row : piece.top) rows_of_u[row] = *in++;
    }
    const Piece& mine = displaced_[static_cast<std::size_t>(grid_.my_row())];
    const double* in = place(displaced_rows_, mine, range, column);
    for (const int row : mine.local) own[row] = *in++;
  }
}

/// All rows are on this rank: U first, because rows of the diagonal block then go to their places.
void RowSwap::unpack_alone(Matrix& matrix, int column, double* u) {
  double* own = matrix.at(0, column);
  const Piece& in = gathered_.front();
  for (std::size_t i = 0; i < in.top.size(); ++i) u[in.top[i]] = own[in.local[i]];
  const Piece& out = displaced_.front();
  for (std::size_t i = 0; i < out.top.size(); ++i) own[out.local[i]] = own[first_row_ + out.top[i]];
}

}  // namespace plait::lu
