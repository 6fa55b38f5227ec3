// SPDX-License-Identifier: BSD-3-Clause
// Measures the memory bandwidth that bounds sparse products.
#pragma once

#include <mpi.h>

#include <cstdlib>
#include <memory>
#include <vector>

namespace plait::cg {

/// Bytes per second of all ranks of a communicator together, when all threads of all ranks run.
struct Bandwidth {
  double copy = 0;  ///< STREAM copy, with ordinary stores, counted as STREAM does: read and written
  double read = 0;  ///< a sum of all elements, with prefetches or without, whichever is faster
  double best_pass = 0;  ///< of the fastest pass of any kind; the others are medians

  [[nodiscard]] double best() const { return copy > read ? copy : read; }
};

/// The same at the start and at the end of the program; zeros if it was not measured.
struct BandwidthAround {
  Bandwidth before, after;
};

/// The median of numbers, of which there is at least one: the mean of the middle two of an even
/// count.
double median(std::vector<double> numbers);

/// Measures the bandwidth again and again, by turns with what is compared with it. Not copyable.
class BandwidthProbe {
public:
  /// Takes memory: two arrays that are larger than the caches, in large pages like the matrix.
  /// Collective. @throws CollectiveError if the memory does not suffice
  BandwidthProbe(MPI_Comm comm, int threads);

  /// Copies an array once and reads it twice, in some milliseconds. Collective.
  void measure();
  /// Measures several times. Collective.
  void measure_repeatedly();
  /// The medians of all measurements since the last call; zeros without any. Local.
  Bandwidth take_medians();

private:
  struct Free {
    void operator()(double* numbers) const { std::free(numbers); }
  };
  using Numbers = std::unique_ptr<double[], Free>;
  static Numbers allocate();
  template <class Pass>
  double slowest_s(const Pass& pass) const;
  template <int Ahead>
  void read();

  MPI_Comm comm_;
  int threads_;
  Numbers from_, to_;
  std::vector<double> copies_s_, reads_s_, prefetched_reads_s_;
  double total_ = 0;  ///< of all sums, which must be used, or the compiler leaves them out
};

}  // namespace plait::cg
