// SPDX-License-Identifier: BSD-3-Clause
// The inverse power method of the NAS CG benchmark, with 25 steps of conjugate gradients each.
#include "nas_run.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "grain_rows.hpp"
#include "node_memory.hpp"
#include "plait/environment.hpp"
#include "reduce.hpp"

namespace plait::cg {
namespace {

constexpr int kSteps = 25;
constexpr double kTolerance = 1e-10;  // of zeta

NasGrid grid_on(MPI_Comm comm, const NasOptions& options) {
  int ranks = 1, rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  if (!is_power_of_two(ranks)) {
    throw CollectiveError(std::to_string(ranks) + " ranks", "not a power of two",
                          "start 1, 2, 4, 8, ... ranks for --class");
  }
  if (ranks > options.problem.size) {
    throw CollectiveError(std::to_string(ranks) + " ranks", "more than rows", "start fewer");
  }
  return nas_grid(options.problem.size, ranks, rank);
}

/// Generates this rank's rows of the matrix. Collective.
LocalRows make_rows(MPI_Comm comm, const NasGrid& grid, const NasOptions& options) {
  const NasClass& problem = options.problem;
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  // Rows, the stored block, the random vectors, and seven vectors.
  constexpr double kRowBytes = 12, kBlockBytes = 12, kVectorBytes = 12;
  const double own = problem.most_entries() / ranks * (kRowBytes + kBlockBytes) +
                     problem.size * (problem.nonzeros + 1.0) * 2 * kVectorBytes +
                     7.0 * sizeof(double) * grid.columns.count;
  check_node_memory(comm, std::string("class ") + problem.name, own,
                    "use a smaller class or more nodes");
  LocalRows rows;
  agreed(comm, "matrix",
         [&] { rows = nas_matrix(problem, grid.rows, grid.columns, options.threads); });
  return rows;
}

/// Stores the matrix. Collective.
SparseBlock make_block(MPI_Comm comm, const NasGrid& grid, const LocalRows& rows,
                       const NasOptions& options) {
  std::unique_ptr<SparseBlock> block;
  agreed(comm, "matrix", [&] {
    SparseOptions sparse;
    sparse.kernel = options.kernel;
    sparse.threads = options.threads;
    if (options.model == Model::tc && options.grain_rows > 0 && !grid.exchanges.empty()) {
      sparse.band_rows = (options.grain_rows - 1) / parts_of_grain(options.grain_rows) + 1;
      sparse.cuts = cuts_of(grid, options.grain_rows);
    }
    block = std::make_unique<SparseBlock>(
        grid.columns.count, SparseRows<int>{rows.starts, rows.columns, rows.values}, sparse);
  });
  return std::move(*block);
}

/// The product, for tc with grains of the size that is fastest here unless it is given. Collective.
std::unique_ptr<NasProduct> make_product(MPI_Comm comm, const NasGrid& grid, NasOptions& options) {
  const LocalRows rows = make_rows(comm, grid, options);
  const auto product = [&] {
    return std::make_unique<NasProduct>(comm, grid, make_block(comm, grid, rows, options),
                                        options.model, options.threads, options.grain_rows,
                                        options.grains_before);
  };
  if (options.model != Model::tc || grid.exchanges.empty() || options.grain_rows > 0) {
    return product();
  }
  const std::vector<int> sizes = possible_grain_rows(comm, grid, options.threads);
  options.grain_rows = sizes.front();
  std::unique_ptr<NasProduct> tried = product();
  options.grain_rows = fastest_grain_rows(comm, *tried, sizes, options.grains_before);
  if (options.grain_rows == sizes.front()) return tried;
  tried.reset();
  return product();  // with bands of that size
}

/// Vectors and steps of one run.
class PowerMethod {
public:
  PowerMethod(const NasGrid& grid, NasProduct& product, const NasOptions& options)
      : product_(product),
        team_(static_cast<std::size_t>(grid.columns.count), options.threads),
        region_threads_(options.model == Model::spmd ? options.threads : 1) {
    for (auto* vector : {&x_, &z_, &p_, &q_, &r_}) vector->resize(team_.count());
    start();
  }

  void start() { std::fill(x_.begin(), x_.end(), 1.0); }

  /// Solves A z = x and normalizes x = z / |z|. @return x.z
  double iterate() {
    if (region_threads_ > 1) {
#pragma omp parallel num_threads(region_threads_)
      iterate_in_team();
    } else {
      // Not in a region of one thread: regions of the loops would be nested, and OpenMP would start
      // new threads for each of them.
      iterate_in_team();
    }
    return product_of_x_z_;
  }

  [[nodiscard]] double residual() const {
    return residual_;
  }

  /// Bytes of vectors that an iteration reads and writes per element: of each step the product, a
  /// sum and two updates, and what is around the steps.
  static constexpr double vector_bytes() {
    constexpr double kStepNumbers = 2 + 2 + 3 + 5, kOtherNumbers = 15;
    return sizeof(double) * (kSteps * kStepNumbers + kOtherNumbers);
  }

private:
  void iterate_in_team() {
    const double residual = conjugate_gradients();
    std::array<double, 2> sums{team_.dot(x_.data(), z_.data()), team_.dot(z_.data(), z_.data())};
    product_.add_over_row(sums.data(), 2);
    team_.scale(1 / std::sqrt(sums[1]), z_.data(), x_.data());
#pragma omp master
    {
      product_of_x_z_ = sums[0];
      residual_ = residual;
    }
  }

  double over_row(double sum) {
    product_.add_over_row(&sum, 1);
    return sum;
  }

  /// @return |x - A z|
  double conjugate_gradients() {
    team_.start(x_.data(), z_.data(), r_.data(), p_.data());
    double rho = over_row(team_.dot(r_.data(), r_.data()));
    for (int step = 1;; ++step) {
      product_.multiply(p_.data(), q_.data());
      const double alpha = rho / over_row(team_.dot(p_.data(), q_.data()));
      if (step == kSteps) {
        team_.add_scaled(alpha, p_.data(), z_.data());
        break;
      }
      const double before = rho;
      rho = over_row(team_.reduce_residual(alpha, q_.data(), r_.data()));
      team_.advance(alpha, rho / before, r_.data(), p_.data(), z_.data());
    }
    product_.multiply(z_.data(), r_.data());
    return std::sqrt(over_row(team_.distance_squared(x_.data(), r_.data())));
  }

  NasProduct& product_;
  VectorTeam team_;
  int region_threads_;  ///< of the parallel region of an iteration; 1: loops have their own
  std::vector<double> x_, z_, p_, q_, r_;
  double residual_ = 0;
  double product_of_x_z_ = 0;
};

}  // namespace

double NasResult::operations_per_s() const {
  return options.problem.operations() / seconds;
}

bool NasResult::passed() const {
  return std::abs(zeta - options.problem.zeta) <= kTolerance * options.problem.zeta;
}

NasResult run_nas(MPI_Comm comm, const NasOptions& given, BandwidthProbe* probe) {
  const NasGrid grid = grid_on(comm, given);
  NasResult result;
  NasOptions& options = result.options;
  options = given;
  result.process_rows = grid.process_rows;
  result.process_columns = grid.process_columns;
  double start = MPI_Wtime();
  const std::unique_ptr<NasProduct> made = make_product(comm, grid, options);
  NasProduct& product = *made;
  result.generation_seconds = reduce(comm, MPI_Wtime() - start, MPI_MAX);
  const SparseBlock& matrix = product.matrix();
  result.kernel = matrix.kernel();
  result.column_blocks = matrix.column_blocks();
  result.entries = reduce(comm, static_cast<double>(matrix.entries()), MPI_SUM);
  const double products = options.problem.iterations * (kSteps + 1.0);
  result.traffic_bytes = products * reduce(comm, matrix.bytes(), MPI_SUM);

  result.vector_bytes = options.problem.iterations * PowerMethod::vector_bytes() *
                        reduce(comm, grid.columns.count, MPI_SUM);

  PowerMethod method(grid, product, options);
  method.iterate();  // not timed, as in the benchmark
  method.start();
  product.take_message_seconds();
  // One interval, or with a probe one per iteration.
  std::vector<double> seconds;
  for (int i = 0; i < options.problem.iterations; ++i) {
    if (probe) probe->measure();
    if (probe || i == 0) {
      MPI_Barrier(comm);
      start = MPI_Wtime();
    }
    result.zeta = options.problem.shift + 1 / method.iterate();
    if (probe || i + 1 == options.problem.iterations) seconds.push_back(MPI_Wtime() - start);
  }
  MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(seconds.size()), MPI_DOUBLE, MPI_MAX,
                comm);
  result.seconds = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  result.median_seconds = static_cast<double>(seconds.size()) * median(seconds);
  if (probe) result.bandwidth = probe->take_medians();
  result.message_seconds = reduce(comm, product.take_message_seconds(), MPI_MAX);
  result.residual = method.residual();
  result.grains_before = product.grains_before();
  // All process rows have the same sums; the bits of rank 0 are those of the run.
  std::array<double, 2> values{result.zeta, result.residual};
  MPI_Bcast(values.data(), 2, MPI_DOUBLE, 0, comm);
  result.zeta = values[0];
  result.residual = values[1];
  result.checksum = (std::bit_cast<std::uint64_t>(values[0]) * 0x100000001b3U) ^
                    std::bit_cast<std::uint64_t>(values[1]);
  return result;
}

KernelRates kernel_rates(MPI_Comm comm, const NasOptions& options) {
  const NasGrid grid = grid_on(comm, options);
  const LocalRows rows = make_rows(comm, grid, options);
  KernelRates rates;
  constexpr int kTurns = 5;
  for (const auto& [kernel, rate] :
       {std::pair{SparseKernel::crs, &rates.crs}, std::pair{SparseKernel::split, &rates.split},
        std::pair{SparseKernel::sell, &rates.sell}}) {
    NasOptions one = options;
    one.kernel = kernel;
    const SparseBlock matrix = make_block(comm, grid, rows, one);
    const std::vector<double> x(static_cast<std::size_t>(matrix.columns()), 1.0);
    std::vector<double> y(static_cast<std::size_t>(matrix.rows()));
    double best = 0;
    for (int turn = 0; turn < kTurns; ++turn) {
      MPI_Barrier(comm);
      const double start = MPI_Wtime();
      matrix.multiply(x.data(), y.data());
      const double seconds = MPI_Wtime() - start;
      if (turn > 0) best = std::max(best, 2.0 * static_cast<double>(matrix.entries()) / seconds);
    }
    *rate = reduce(comm, best, MPI_MIN);
  }
  return rates;
}

}  // namespace plait::cg
