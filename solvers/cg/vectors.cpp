// SPDX-License-Identifier: BSD-3-Clause
// Runs operations on vectors block by block.
#include "vectors.hpp"

#include <omp.h>

#include <algorithm>
#include <array>

namespace plait::cg {
namespace {

constexpr std::size_t kBlock = 1024;
constexpr std::size_t kSums = 8;  // independent sums, so that the compiler may use vectors

/// Sum of term(i), in an order that depends only on the number of elements.
template <class Term>
inline double sum_of(std::size_t first, std::size_t end, const Term& term) {
  std::array<double, kSums> sums{};
  std::size_t i = first;
  for (; i + kSums <= end; i += kSums) {
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += term(i + k);
  }
  for (std::size_t k = 0; i < end; ++i, ++k) sums[k] += term(i);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

std::size_t blocks_of(std::size_t count) {
  return (count + kBlock - 1) / kBlock;
}

}  // namespace

VectorTeam::VectorTeam(std::size_t count, int threads)
    : count_(count), threads_(threads), sums_(blocks_of(count)) {}

template <class Body>
void VectorTeam::each_block(std::size_t count, const Body& body) {
  const std::size_t blocks = blocks_of(count);
  const auto share = [&] {
#pragma omp for schedule(static)
    for (std::size_t block = 0; block < blocks; ++block) {
      body(block, block * kBlock, std::min(count, (block + 1) * kBlock));
    }
  };
  if (omp_in_parallel() != 0) {
    share();
    return;
  }
#pragma omp parallel num_threads(threads_) if (threads_ > 1 && blocks > 1)
  share();
}

template <class Body>
double VectorTeam::sum_of_blocks(const Body& body) {
  each_block(count_, [&](std::size_t block, std::size_t first, std::size_t end) {
    sums_[block] = body(first, end);
  });
  double sum = 0;
  for (const double one : sums_) sum += one;
#pragma omp barrier  // others still add
  return sum;
}

double VectorTeam::dot(const double* a, const double* b) {
  return sum_of_blocks([=](std::size_t first, std::size_t end) {
    return sum_of(first, end, [=](std::size_t i) { return a[i] * b[i]; });
  });
}

double VectorTeam::distance_squared(const double* a, const double* b) {
  return sum_of_blocks([=](std::size_t first, std::size_t end) {
    return sum_of(first, end, [=](std::size_t i) { return (a[i] - b[i]) * (a[i] - b[i]); });
  });
}

double VectorTeam::reduce_residual(double alpha, const double* q, double* r) {
  return sum_of_blocks([=](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) r[i] -= alpha * q[i];
    return sum_of(first, end, [=](std::size_t i) { return r[i] * r[i]; });
  });
}

void VectorTeam::advance(double alpha, double beta, const double* r, double* p, double* z) {
  each_block(count_, [=](std::size_t, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      z[i] += alpha * p[i];
      p[i] = r[i] + beta * p[i];
    }
  });
}

void VectorTeam::add_scaled(double alpha, const double* p, double* z) {
  each_block(count_, [=](std::size_t, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) z[i] += alpha * p[i];
  });
}

void VectorTeam::scale(double factor, const double* x, double* y) {
  each_block(count_, [=](std::size_t, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) y[i] = factor * x[i];
  });
}

void VectorTeam::copy(const double* x, double* y, std::size_t count) {
  each_block(count, [=](std::size_t, std::size_t first, std::size_t end) {
    std::copy(x + first, x + end, y + first);
  });
}

void VectorTeam::start(const double* x, double* z, double* r, double* p) {
  each_block(count_, [=](std::size_t, std::size_t first, std::size_t end) {
    std::fill(z + first, z + end, 0.0);
    std::copy(x + first, x + end, r + first);
    std::copy(x + first, x + end, p + first);
  });
}

void VectorTeam::add(const double* x, double* y, std::size_t count) {
  each_block(count, [=](std::size_t, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) y[i] += x[i];
  });
}

double VectorTeam::precondition(const double* a, const double* b, double* z) {
  return sum_of_blocks([=](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) z[i] = a[i] * b[i];
    return sum_of(first, end, [=](std::size_t i) { return b[i] * z[i]; });
  });
}

}  // namespace plait::cg
