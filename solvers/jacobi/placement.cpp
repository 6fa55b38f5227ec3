// SPDX-License-Identifier: BSD-3-Clause
// Where each rank and thread of a run was.
#include "placement.hpp"

#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <array>

namespace plait::jacobi {

std::vector<RankPlace> gather_placement(const CartesianGrid& grid, int threads) {
  constexpr std::size_t host_bytes = 256;
  std::array<char, host_bytes> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::vector<int> cpus(static_cast<std::size_t>(threads), -1);
#pragma omp parallel num_threads(threads)
  cpus[static_cast<std::size_t>(omp_get_thread_num())] = ::sched_getcpu();

  const auto ranks = static_cast<std::size_t>(grid.rank() == 0 ? grid.size() : 0);
  std::vector<char> hosts(ranks * host_bytes);
  std::vector<int> all_cpus(ranks * cpus.size());
  MPI_Gather(host.data(), host_bytes, MPI_CHAR, hosts.data(), host_bytes, MPI_CHAR, 0, grid.comm());
  MPI_Gather(cpus.data(), threads, MPI_INT, all_cpus.data(), threads, MPI_INT, 0, grid.comm());

  std::vector<RankPlace> places;
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto rank = static_cast<int>(r);
    const auto first = all_cpus.begin() + static_cast<std::ptrdiff_t>(r * cpus.size());
    places.push_back({rank, &hosts[r * host_bytes], grid.coordinates_of(rank), grid.own_of(rank),
                      std::vector<int>(first, first + threads)});
  }
  return places;
}

}  // namespace plait::jacobi
