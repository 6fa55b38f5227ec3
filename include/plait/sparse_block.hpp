// SPDX-License-Identifier: BSD-3-Clause
// A sparse matrix in the memory of one rank, stored for fast products with a vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace plait {

/// How a sparse matrix is stored. The bits of a product are the same for all: the products of a row
/// are added one by one, by ascending column.
enum class SparseKernel {
  automatic,  ///< sell where most rows find others of the same length, otherwise split
  crs,        ///< compressed row storage: row by row, columns of 4 bytes
  split,  ///< crs in blocks of columns, so that the part of x in use stays in cache (Viet et al.
          ///< 2005, section 6.3); columns of 2 bytes
  sell,   ///< the same, with 8 rows of equal length at a time (SELL-C-sigma; Kreutzer et al.
          ///< 2014), without padding
};

/// "automatic", "crs", "split" or "sell".
std::string to_string(SparseKernel kernel);
/// Reads a name. @throws Error that lists the accepted names
SparseKernel parse_sparse_kernel(const std::string& text);

struct SparseOptions {
  SparseKernel kernel = SparseKernel::automatic;
  int block_columns = 0;  ///< of split and sell, up to 65536; 0: chosen from the cache sizes
  int band_rows = 0;      ///< rows of a band, up to 65536; 0: chosen
  int threads = 0;        ///< of the products; 0: OpenMP's default
  /// Rows with which a band must begin, in ascending order, besides the first one.
  std::vector<int> cuts{};
};

/// A view of rows in compressed row storage, with columns in ascending order within each row.
template <class Column>
struct SparseRows {
  std::span<const std::int64_t> starts;  ///< of each row in the two others; then their size
  std::span<const Column> columns;
  std::span<const double> values;
};

/// A sparse matrix in bands of rows. All functions are local; products of different bands may run
/// at the same time.
class SparseBlock {
public:
  /// Copies the rows, in such a way that each thread of a product finds its bands in the memory of
  /// its NUMA domain if the threads are bound.
  /// @throws Error if a row is out of order or has a column that is not in 0 to columns - 1, or if
  ///         an option is out of range
  /// @throws std::bad_alloc
  SparseBlock(int columns, const SparseRows<int>& rows, const SparseOptions& options = {});
  ~SparseBlock();
  SparseBlock(SparseBlock&&) noexcept;
  SparseBlock& operator=(SparseBlock&&) noexcept;

  [[nodiscard]] int rows() const;
  [[nodiscard]] int columns() const;
  [[nodiscard]] std::int64_t entries() const;
  [[nodiscard]] SparseKernel kernel() const;  ///< never automatic
  [[nodiscard]] int column_blocks() const;
  /// Bytes of the stored matrix, all of which a product reads once.
  [[nodiscard]] double bytes() const;

  [[nodiscard]] int bands() const;
  [[nodiscard]] int first_row(int band) const;  ///< of the band after the last: rows()

  /// y = A x in the rows of one band. `x` has columns() elements, `y` rows().
  void multiply_band(int band, const double* x, double* y) const;
  /// y += A x in the rows of one band; continues the sum of each row.
  void add_band(int band, const double* x, double* y) const;
  /// y = A x with a team of threads.
  void multiply(const double* x, double* y) const;
  /// y = A x in the bands of one thread, without starting a team: for threads that are one.
  /// @param thread  from 0 to options.threads - 1; multiply() has the same distribution
  void multiply_share(int thread, const double* x, double* y) const;
  /// y += A x with a team of threads.
  void add(const double* x, double* y) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plait
