// SPDX-License-Identifier: BSD-3-Clause
// A square sparse matrix whose rows are distributed over ranks, and its product with a vector under
// any schedule.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plait/schedule.hpp"
#include "plait/sparse_block.hpp"

namespace plait {

/// A square matrix. Rank 0 has the first rows, rank 1 the next ones, and so on; vectors are
/// distributed like rows. A product needs elements of x that other ranks have (the halo), which
/// follow from the pattern of the entries.
///
/// The bits of a product are the same under every schedule, with every storage and for any number
/// of threads: each row first adds its products with elements of this rank, then those with the
/// halo, both by ascending column. They depend on the distribution of the rows.
class SparseMatrix {
public:
  /// Collective over `comm`, which must stay valid. Copies the rows.
  /// @param rows      the rows of this rank, with columns of the whole matrix
  /// @param schedule  blocking, nonblocking, comm_thread (a GrainBlock, whose thread 0
  ///                  communicates), or automatic: measured in the first products. Its `wait` is
  ///                  that of comm_thread.
  /// @throws CollectiveError if a row is out of order or has a column beyond the last row, if the
  ///         schedule is another one or needs a higher thread level of MPI, or without memory
  SparseMatrix(MPI_Comm comm, const SparseRows<std::int64_t>& rows,
               const Schedule& schedule = ScheduleKind::automatic,
               const SparseOptions& options = {});
  ~SparseMatrix();
  SparseMatrix(const SparseMatrix&) = delete;
  SparseMatrix& operator=(const SparseMatrix&) = delete;

  [[nodiscard]] std::int64_t size() const;       ///< rows of all ranks
  [[nodiscard]] std::int64_t first_row() const;  ///< of this rank
  [[nodiscard]] int rows() const;                ///< of this rank
  [[nodiscard]] std::int64_t entries() const;    ///< of this rank
  [[nodiscard]] double bytes() const;            ///< of this rank, as SparseBlock::bytes()
  [[nodiscard]] int halo() const;                ///< elements that this rank receives for a product
  /// The elements on the diagonal in this rank's rows; 0 where there is no entry. Local.
  [[nodiscard]] std::vector<double> diagonal() const;

  /// y = A x, both with the elements of this rank's rows; they must not overlap. Collective.
  void multiply(const double* x, double* y);

  /// The schedule of the next product; automatic until it is chosen. Local.
  [[nodiscard]] Schedule schedule() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Distributes the rows of a symmetric pattern so that few entries are between parts, which have
/// equal numbers of rows: multilevel recursive bisection (Karypis and Kumar 1998). Local; the same
/// input gives the same result.
/// @return the part of each row, from 0 to parts - 1
/// @throws Error if a row is out of order, the pattern is not symmetric, or parts < 1
std::vector<int> partition_rows(const SparseRows<int>& rows, int parts);

}  // namespace plait
