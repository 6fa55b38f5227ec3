// SPDX-License-Identifier: BSD-3-Clause
// FFTW-MPI as a peer: its transpose, and its 3D transform against serial FFTW with a Transpose.
#include <fftw3-mpi.h>

#include "contender.hpp"
#include "plait/error.hpp"

namespace plait::bench {
namespace {

fftw_complex* numbers(std::vector<Complex>& values) {
  return reinterpret_cast<fftw_complex*>(values.data());
}

struct FreePlan {
  void operator()(fftw_plan_s* plan) const { fftw_destroy_plan(plan); }
};
using Plan = std::unique_ptr<fftw_plan_s, FreePlan>;

/// The memory of a peer.
struct Peer {
  std::vector<Complex> from, to;
  std::vector<Plan> plans;
};

/// Rows of x values move as they are.
Contender fftw_transpose(const Slabs& slabs) {
  const auto [nx, ny, nz] = slabs.shape.extents;
  ptrdiff_t planes = 0, first_plane = 0, rows = 0, first_row = 0;
  const ptrdiff_t n[] = {nz, ny};
  const ptrdiff_t count = fftw_mpi_local_size_many_transposed(
      2, n, 2 * nx, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK, MPI_COMM_WORLD, &planes,
      &first_plane, &rows, &first_row);
  const auto peer = std::make_shared<Peer>();
  peer->from.resize(static_cast<std::size_t>(count));
  peer->to.resize(static_cast<std::size_t>(count));
  peer->plans.emplace_back(fftw_mpi_plan_many_transpose(
      nz, ny, 2 * nx, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK,
      reinterpret_cast<double*>(peer->from.data()), reinterpret_cast<double*>(peer->to.data()),
      MPI_COMM_WORLD, FFTW_MEASURE));
  return {"fftw_transpose", [peer] { fftw_execute(peer->plans[0].get()); }};
}

/// A 3D transform of n^3 complex numbers that leaves its result cut along y.
Contender fftw_3d(std::int64_t n) {
  ptrdiff_t planes = 0, first_plane = 0, rows = 0, first_row = 0;
  const ptrdiff_t count = fftw_mpi_local_size_3d_transposed(n, n, n, MPI_COMM_WORLD, &planes,
                                                            &first_plane, &rows, &first_row);
  const auto peer = std::make_shared<Peer>();
  peer->from.resize(static_cast<std::size_t>(count));
  peer->plans.emplace_back(fftw_mpi_plan_dft_3d(n, n, n, numbers(peer->from), numbers(peer->from),
                                                MPI_COMM_WORLD, FFTW_FORWARD,
                                                FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT));
  return {"fftw_3d", [peer] { fftw_execute(peer->plans[0].get()); }};
}

/// The same by serial transforms of z planes, a Transpose, and transforms along z. As in FFTW-MPI's
/// transposed output, x is contiguous and y has the largest distance.
Contender fft3d(std::int64_t n) {
  Transpose::Options options;
  options.in_source_memory = true;
  TransposeShape shape{{n, n, n}, {2}, {1}, sizeof(Complex)};
  shape.to.order = {0, 2, 1};
  const auto transpose = std::make_shared<Transpose>(MPI_COMM_WORLD, shape, options);
  const auto peer = std::make_shared<Peer>();
  peer->to.resize(static_cast<std::size_t>(transpose->destination().elements));
  auto* from = static_cast<fftw_complex*>(transpose->source_memory(0));
  const int size = static_cast<int>(n);
  const int planes = static_cast<int>(transpose->source().extents[2]);
  const int rows = static_cast<int>(transpose->destination().extents[1]);
  const int plane[] = {size, size};
  peer->plans.emplace_back(fftw_plan_many_dft(2, plane, planes, from, nullptr, 1, size * size, from,
                                              nullptr, 1, size * size, FFTW_FORWARD, FFTW_MEASURE));
  const fftw_iodim along_z{size, size, size};
  const fftw_iodim lines[] = {{rows, size * size, size * size}, {size, 1, 1}};
  peer->plans.emplace_back(fftw_plan_guru_dft(1, &along_z, 2, lines, numbers(peer->to),
                                              numbers(peer->to), FFTW_FORWARD, FFTW_MEASURE));
  return {"fft3d", [peer, transpose, from] {
            fftw_execute(peer->plans[0].get());
            transpose->transpose(from, peer->to.data());
            fftw_execute(peer->plans[1].get());
          }};
}

}  // namespace

std::vector<Contender> fftw_peers(Slabs& slabs) {
  fftw_mpi_init();
  const std::int64_t n = slabs.shape.extents[1];
  std::vector<Contender> peers;
  peers.push_back(fftw_transpose(slabs));
  peers.push_back(fftw_3d(n));
  peers.push_back(fft3d(n));
  return peers;
}

}  // namespace plait::bench
