// SPDX-License-Identifier: BSD-3-Clause
// Exchanges rows within a process column according to a panel's pivots, and gathers the rows of U.
#pragma once

#include <array>
#include <vector>

#include "grid.hpp"
#include "memory.hpp"
#include "panel.hpp"
#include "panel_factorization.hpp"
#include "problem.hpp"

namespace plait::lu {

/// How the rows of U reach all ranks of a process column, numbered as in HPL.dat.
enum class SwapKind {
  binary_exchange,  ///< in log2 P steps, each with twice as many rows
  long_,            ///< in P - 1 steps round a ring
  mix,              ///< binary_exchange for few columns, long for more
};

inline constexpr std::array<const char*, 3> kSwapNames{"binary", "long", "mix"};

/// The rows of one panel. For each range of columns: pack, then exchange, then unpack. Ranges are
/// the same on all ranks of the process column; columns of a range may be packed and unpacked in
/// parts, by different threads. On a grid of one row, only unpack does something.
class RowSwap {
public:
  /// @param threshold  columns up to which `mix` is binary_exchange
  /// @throws std::bad_alloc
  RowSwap(const ProcessGrid& grid, SwapKind kind, int threshold, int block, int local_columns);
  static std::size_t doubles(int block, int local_columns, int process_rows);

  /// Derives the permutation from the pivots; the following calls are for this panel.
  void plan(const Matrix& matrix, const Panel& panel, Pivoting pivoting);

  /// Copies the rows that leave. Local.
  void pack(Matrix& matrix, Range range, Range part);
  /// Sends and receives. Collective over the process column.
  void exchange(Range range);
  /// The same in steps, each of which begins when the one before is complete, for several ranges at
  /// a time. Collective over the process column, all ranges in the same order.
  [[nodiscard]] int steps(Range range) const;
  /// @param number    distinguishes ranges that are exchanged at the same time
  /// @param requests  gets those of the step
  void begin_step(Range range, int step, int number, std::vector<MPI_Request>& requests);
  /// Writes rows that arrived to the matrix, and the rows of U to `u`, whose column of the matrix's
  /// local column c begins at u + c * width. Local.
  void unpack(Matrix& matrix, Range range, Range part, double* u);

private:
  /// Rows of one process row in the order in which they are sent.
  struct Piece {
    std::vector<int> top;    ///< rows of the diagonal block: to (gathered), from (displaced)
    std::vector<int> local;  ///< rows of the matrix, if they are mine: from, to
    int offset = 0;          ///< rows of the pieces before this one
    [[nodiscard]] int rows() const { return static_cast<int>(top.size()); }
  };
  using Pieces = std::vector<Piece>;

  double* place(Memory& memory, const Piece& piece, Range range, int column);
  [[nodiscard]] bool by_doubling(Range range) const;
  // Their requests get tags from `tag` on.
  void exchange_displaced(Range range, int tag, std::vector<MPI_Request>& requests);
  void gather_by_doubling(Range range, int step, int tag, std::vector<MPI_Request>& requests);
  void gather_round_ring(Range range, int step, int tag, std::vector<MPI_Request>& requests);
  void unpack_alone(Matrix& matrix, int column, double* u);

  const ProcessGrid& grid_;
  SwapKind kind_;
  int threshold_;
  int width_ = 0;
  int root_ = 0;       ///< the process row of the diagonal block
  int first_row_ = 0;  ///< local row of the diagonal block on the root
  bool only_root_ = false;
  Pieces gathered_;   ///< rows that become U, by where they are
  Pieces displaced_;  ///< rows of the diagonal block that leave it, by where they go
  Memory gathered_rows_, displaced_rows_;
};

}  // namespace plait::lu
