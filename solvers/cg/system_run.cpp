// SPDX-License-Identifier: BSD-3-Clause
// Preconditioned conjugate gradients (Hestenes and Stiefel 1952).
#include "system_run.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <vector>

#include "node_memory.hpp"
#include "plait/sparse_matrix.hpp"
#include "reduce.hpp"
#include "system_rows.hpp"
#include "vectors.hpp"

namespace plait::cg {
namespace {

Schedule schedule_of(Model model) {
  switch (model) {
    case Model::tc:
      return ScheduleKind::comm_thread;
    case Model::nonblocking:
      return ScheduleKind::nonblocking;
    case Model::automatic:
      return ScheduleKind::automatic;
    case Model::mpi:
    case Model::pc:
    case Model::spmd:
      break;
  }
  return ScheduleKind::blocking;
}

/// The iterations.
class Solver {
public:
  Solver(MPI_Comm comm, SparseMatrix& matrix, const std::vector<double>& rhs,
         const SystemOptions& options)
      : comm_(comm),
        matrix_(matrix),
        options_(options),
        rhs_(rhs),
        team_(rhs.size(), options.threads),
        inverse_(rhs.size(), 1.0) {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    sums_.resize(static_cast<std::size_t>(ranks));
    if (options.jacobi) {
      inverse_ = matrix.diagonal();
      for (double& one : inverse_) one = 1 / one;
    }
    for (auto* vector : {&x_, &z_, &p_, &q_}) vector->resize(rhs.size());
    r_ = rhs;
  }

  /// Solves A x = b from x = 0. @return true if the residual is small enough
  bool run() {
    norm_ = std::sqrt(checked(sum(team_.dot(r_.data(), r_.data()))));
    if (norm_ == 0) return true;
    double rho = sum(team_.precondition(inverse_.data(), r_.data(), z_.data()));
    p_ = z_;
    while (true) {
      ++iterations_;
      matrix_.multiply(p_.data(), q_.data());
      const double curvature = sum(team_.dot(p_.data(), q_.data()));
      if (!(curvature > 0)) throw not_definite(curvature);
      const double alpha = rho / curvature;
      const double left = checked(sum(team_.reduce_residual(alpha, q_.data(), r_.data())));
      const bool ends = std::sqrt(left) <= options_.tolerance * norm_;
      if (ends || iterations_ == options_.most_iterations) {
        team_.add_scaled(alpha, p_.data(), x_.data());
        return ends;
      }
      const double before = rho;
      rho = sum(team_.precondition(inverse_.data(), r_.data(), z_.data()));
      team_.advance(alpha, rho / before, z_.data(), p_.data(), x_.data());
    }
  }

  /// |b - A x| / |b|.
  double true_residual() {
    matrix_.multiply(x_.data(), q_.data());
    const double left = std::sqrt(sum(team_.distance_squared(rhs_.data(), q_.data())));
    return norm_ > 0 ? left / norm_ : left;
  }

  [[nodiscard]] int iterations() const { return iterations_; }
  [[nodiscard]] const std::vector<double>& x() const { return x_; }

private:
  /// The sum over all ranks, added up in their order on each.
  double sum(double own) {
    MPI_Allgather(&own, 1, MPI_DOUBLE, sums_.data(), 1, MPI_DOUBLE, comm_);
    double all = 0;
    for (const double one : sums_) all += one;
    return all;
  }

  [[nodiscard]] double checked(double value) const {
    if (std::isfinite(value)) return value;
    throw CollectiveError(options_.matrix,
                          "a sum is not finite in iteration " + std::to_string(iterations_),
                          "scale the system");
  }

  [[nodiscard]] CollectiveError not_definite(double curvature) const {
    char text[96];
    std::snprintf(text, sizeof text, "not positive definite: p.Ap = %.3g in iteration %d",
                  curvature, iterations_);
    return {options_.matrix, text, "give a positive definite matrix"};
  }

  MPI_Comm comm_;
  SparseMatrix& matrix_;
  const SystemOptions& options_;
  const std::vector<double>& rhs_;
  VectorTeam team_;
  std::vector<double> inverse_;  ///< of the diagonal
  std::vector<double> x_, r_, z_, p_, q_;
  std::vector<double> sums_;  ///< of each rank
  double norm_ = 0;           ///< of b
  int iterations_ = 0;
};

/// Writes x, and computes the checksum of its bits. On rank 0.
std::uint64_t finish(const std::string& path, const std::vector<double>& x) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a, by 64 bits
  for (const double value : x) hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3U;
  if (!path.empty()) {
    std::ofstream file(path);
    file.precision(std::numeric_limits<double>::max_digits10);
    for (const double value : x) file << value << "\n";
    file.flush();
    if (!file) {
      throw Error("--solution " + path, "cannot be written",
                  "check that the file system is not full");
    }
  }
  return hash ^ (hash >> 32U);
}

}  // namespace

SystemResult run_system(MPI_Comm comm, const SystemOptions& options, BandwidthProbe* probe) {
  SystemResult result;
  result.options = options;
  double start = MPI_Wtime();
  const SystemRows rows = read_system(comm, options);
  SparseOptions sparse;
  sparse.kernel = options.kernel;
  sparse.threads = options.threads;
  if (options.model == Model::tc) sparse.band_rows = options.grain_rows;
  SparseMatrix matrix(comm, {rows.starts, rows.columns, rows.values}, schedule_of(options.model),
                      sparse);
  result.reading_seconds = reduce(comm, MPI_Wtime() - start, MPI_MAX);
  result.size = matrix.size();
  result.entries = reduce(comm, static_cast<double>(matrix.entries()), MPI_SUM);
  result.received = reduce(comm, matrix.halo(), MPI_MAX);

  std::optional<Solver> solver;
  agreed(comm, options.matrix, [&] { solver.emplace(comm, matrix, rows.rhs, options); });
  if (probe) probe->measure_repeatedly();
  MPI_Barrier(comm);
  start = MPI_Wtime();
  result.converged = solver->run();
  result.seconds = result.median_seconds = reduce(comm, MPI_Wtime() - start, MPI_MAX);
  if (probe) {
    probe->measure_repeatedly();
    result.bandwidth = probe->take_medians();
  }
  result.iterations = solver->iterations();
  result.residual = solver->true_residual();
  result.schedule = to_string(matrix.schedule().kind);
  result.traffic_bytes = result.iterations * reduce(comm, matrix.bytes(), MPI_SUM);
  // Per element of an iteration: the product, two sums and two updates.
  constexpr double kVectorNumbers = 2 + 2 + 3 + 3 + 5;
  result.vector_bytes =
      sizeof(double) * kVectorNumbers * result.iterations * static_cast<double>(result.size);

  const std::vector<double> x = gather(comm, rows, solver->x());
  agreed(comm, options.matrix, [&] {
    if (!x.empty()) result.checksum = finish(options.solution, x);
  });
  MPI_Bcast(&result.checksum, 1, MPI_UINT64_T, 0, comm);
  return result;
}

}  // namespace plait::cg
