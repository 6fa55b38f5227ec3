// SPDX-License-Identifier: BSD-3-Clause
// The product q = A p on the process grid of the NAS CG benchmark, in the three parallel models.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <vector>

#include "nas_grid.hpp"
#include "plait/grains.hpp"
#include "plait/sparse_block.hpp"
#include "vectors.hpp"

namespace plait::cg {

/// The parallel models of Viet et al. (2005), and the schedules of the library that only a matrix
/// from a file can have.
enum class Model {
  mpi,   ///< one thread per rank
  pc,    ///< threads, a parallel region per loop (fine grain), communication between them
  tc,    ///< one thread communicates while others compute
  spmd,  ///< of a class: threads, one parallel region for all steps; each has its part of the data,
         ///< and the master communicates between barriers
  nonblocking,
  automatic,
};
inline constexpr std::array kModelNames{"mpi", "pc", "tc", "spmd", "nonblocking", "automatic"};

/// Rows of a part of a grain, at most: more would not stay in the first-level cache.
inline constexpr int kMostPartRows = 2048;

/// The parts in which a team computes a grain.
int parts_of_grain(int grain_rows);

/// Rows with which bands must begin, so that a band is in one grain.
std::vector<int> cuts_of(const NasGrid& grid, int grain_rows);

/// Not copyable, not movable.
class NasProduct {
public:
  /// @param matrix      with bands that begin at cuts_of(grid, grain_rows) for tc
  /// @param grain_rows  of tc: rows whose sums are sent at a time; see set_grains()
  NasProduct(MPI_Comm comm, const NasGrid& grid, SparseBlock matrix, Model model, int threads,
             int grain_rows, int grains_before);
  NasProduct(const NasProduct&) = delete;
  NasProduct& operator=(const NasProduct&) = delete;

  /// q = A p; both have the elements of grid.columns. Collective. Inside a parallel region, all of
  /// its threads must call this and add_over_row(), and the master communicates.
  void multiply(const double* p, double* q);
  /// Adds up values of all ranks of the process row, which together have all elements. Collective.
  void add_over_row(double* values, int count);

  /// Of tc: other grains for the products that follow. Local, but all ranks must call this.
  /// @param grain_rows     a multiple of the rows whose cuts the matrix has
  /// @param grains_before  computed before the first message; -1: from times of the last product
  void set_grains(int grain_rows, int grains_before);

  [[nodiscard]] const SparseBlock& matrix() const { return matrix_; }
  /// Of tc: grains that were computed before the first message of the last product.
  [[nodiscard]] int grains_before() const {
    return block_ ? block_->times().before / parts_of_grain(grain_rows_) : 0;
  }
  /// Seconds in messages since the start or since the last call.
  double take_message_seconds();

private:
  template <class Exchange>
  void communicate(const Exchange& exchange);
  void multiply_local(const double* p, double* w);
  void multiply_blocking(const double* p, double* q);
  void make_grains();
  std::vector<GrainBlock::Task> declare_products(const Span& rows);
  void exchange_grain(std::size_t stage, int grain, std::vector<MPI_Request>& requests);
  void transpose_grain(int grain, std::vector<MPI_Request>& requests);
  [[nodiscard]] Span grain_of(const Span& rows, int grain) const;
  [[nodiscard]] int grains_in(const Span& rows) const;
  void add_received(const Span& rows);

  MPI_Comm comm_;
  int rank_ = 0;
  NasGrid grid_;
  SparseBlock matrix_;
  int threads_;
  VectorTeam team_;
  int grain_rows_;
  std::vector<double> sums_;      ///< w: partial sums of the rows
  std::vector<double> received_;  ///< of the kept rows
  std::array<double, 2> row_sums_{};
  const double* p_ = nullptr;  ///< of the current product
  double* q_ = nullptr;
  std::unique_ptr<GrainBlock> block_;  ///< of tc
  double message_s_ = 0;
};

}  // namespace plait::cg
