// SPDX-License-Identifier: BSD-3-Clause
// Operations on a rank's part of the vectors, by a team of threads. Their bits do not depend on the
// number of threads: sums are those of blocks of fixed length, added up in order.
// Inside a parallel region, the threads of that region are the team; then all of them must call.
#pragma once

#include <cstddef>
#include <vector>

namespace plait::cg {

class VectorTeam {
public:
  /// @param count  elements of this rank's part of a vector
  VectorTeam(std::size_t count, int threads);

  [[nodiscard]] std::size_t count() const { return count_; }

  /// z = 0, r = x, p = x.
  void start(const double* x, double* z, double* r, double* p);
  /// Sum of a b.
  double dot(const double* a, const double* b);
  /// Sum of (a - b)^2.
  double distance_squared(const double* a, const double* b);
  /// r -= alpha q. @return sum of r r
  double reduce_residual(double alpha, const double* q, double* r);
  /// z += alpha p, then p = r + beta p: p is read once for both.
  void advance(double alpha, double beta, const double* r, double* p, double* z);
  /// z += alpha p.
  void add_scaled(double alpha, const double* p, double* z);
  /// y = factor x.
  void scale(double factor, const double* x, double* y);
  /// y = x in `count` elements, which need not be those of a vector.
  void copy(const double* x, double* y, std::size_t count);
  /// y += x in `count` elements, which need not be those of a vector.
  void add(const double* x, double* y, std::size_t count);
  /// z = a b, element by element. @return sum of b z
  double precondition(const double* a, const double* b, double* z);

private:
  template <class Body>
  void each_block(std::size_t count, const Body& body);
  template <class Body>
  double sum_of_blocks(const Body& body);

  std::size_t count_;
  int threads_;
  std::vector<double> sums_;  ///< of each block
};

}  // namespace plait::cg
