// SPDX-License-Identifier: BSD-3-Clause
// One way of transposing slabs, to be timed.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plait/transpose.hpp"

namespace plait::bench {

using Complex = std::complex<double>;

struct Contender {
  std::string name;
  std::function<void()> run;  ///< collective
};

/// The slabs of all contenders: complex numbers, cut along z before and along y after.
struct Slabs {
  explicit Slabs(std::int64_t n) : shape{{n / 2 + 1, n, n}, {2}, {1}, sizeof(Complex)} {}
  TransposeShape shape;
  std::vector<Complex> from, to;
};

/// Packs, calls MPI_Alltoallv and unpacks, as programs do it by hand.
Contender packed_by_hand(Slabs& slabs, const Transpose& plan);

/// FFTW-MPI's transpose, its 3D transform with transposed output, and the same transform with
/// serial FFTW and a Transpose (fft3d); only where FFTW-MPI is installed.
std::vector<Contender> fftw_peers(Slabs& slabs);

}  // namespace plait::bench
