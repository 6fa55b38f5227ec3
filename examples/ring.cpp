// SPDX-License-Identifier: BSD-3-Clause
// y = A x with a dense matrix whose rows are distributed, by grains: while a part of x travels to
// the next rank in a ring, the team multiplies with the part that came before.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <plait/plait.hpp>
#include <vector>

namespace {

constexpr int kRows = 240;     // of each rank
constexpr int kPerGrain = 40;  // rows

double entry(int row, int column) {
  return 1.0 / (1 + row + column);
}

}  // namespace

int main(int argc, char** argv) {
  plait::Environment environment(argc, argv);
  return plait::guarded("ring", [] {
    int rank = 0, size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;

    // parts[s]: the part of x that this rank has after s shifts, that of rank `rank - s`.
    std::vector<std::vector<double>> parts(static_cast<std::size_t>(size),
                                           std::vector<double>(kRows));
    for (int i = 0; i < kRows; ++i) parts[0][static_cast<std::size_t>(i)] = rank * kRows + i + 1;
    std::vector<double> y(kRows, 0.0);

    plait::GrainBlock block("y = A x");
    plait::GrainBlock::Task shift, product;
    for (int s = 0; s < size; ++s) {
      std::vector<double>& here = parts[static_cast<std::size_t>(s)];
      const int first_column = (rank + size - s) % size * kRows;
      const auto arrived = shift;
      if (s + 1 < size) {
        std::vector<double>& there = parts[static_cast<std::size_t>(s + 1)];
        shift = block.begin_communication("shift", 1, [&, s](int, auto& requests) {
          requests.resize(2);
          MPI_Irecv(there.data(), kRows, MPI_DOUBLE, previous, s, MPI_COMM_WORLD, &requests[0]);
          MPI_Isend(here.data(), kRows, MPI_DOUBLE, next, s, MPI_COMM_WORLD, &requests[1]);
        });
        if (s > 0) block.after(shift, arrived);
      }
      const auto before = product;
      product = block.compute("product", kRows / kPerGrain, [&, first_column](int grain) {
        for (int row = grain * kPerGrain; row < (grain + 1) * kPerGrain; ++row) {
          double sum = y[static_cast<std::size_t>(row)];
          for (int i = 0; i < kRows; ++i) {
            sum += entry(rank * kRows + row, first_column + i) * here[static_cast<std::size_t>(i)];
          }
          y[static_cast<std::size_t>(row)] = sum;
        }
      });
      if (s > 0) block.after(product, arrived);
      if (s > 0) block.after_each(product, before);
    }
    block.run();

    double largest = 0, of_all = 0;
    for (int row = 0; row < kRows; ++row) {
      double expected = 0;
      for (int i = 0; i < size * kRows; ++i) expected += entry(rank * kRows + row, i) * (i + 1);
      const double relative = y[static_cast<std::size_t>(row)] / expected - 1;
      largest = std::max(largest, relative < 0 ? -relative : relative);
    }
    MPI_Allreduce(&largest, &of_all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
      std::printf("y = A x is %s\n", of_all < 1e-12 ? "right" : "wrong");
      if (size == 1) std::printf("%s", block.graph().c_str());
    }
    return of_all < 1e-12 ? 0 : 1;
  });
}
