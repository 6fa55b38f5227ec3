// SPDX-License-Identifier: BSD-3-Clause
// The measured program: times transposes of complex slabs by each contender, interleaved.
//
// Usage: contest N ROUNDS
// The slabs have (N/2 + 1) x N x N elements on all ranks. Rank 0 prints `sample NAME seconds...`,
// the times of the slowest rank, and `chosen NAME`, the transport that automatic takes.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "contender.hpp"
#include "plait/environment.hpp"
#include "plait/error.hpp"

namespace plait::bench {
namespace {

constexpr TransposeTransport transports[] = {
    TransposeTransport::automatic, TransposeTransport::alltoallv, TransposeTransport::alltoallw,
    TransposeTransport::point_to_point, TransposeTransport::shared_memory};

/// A transpose whose sources are in its own memory, so that shared_memory reads them in place.
Contender library(Slabs& slabs, TransposeTransport transport, int rank) {
  Transpose::Options options;
  options.transport = transport;
  options.in_source_memory = true;
  const auto plan = std::make_shared<Transpose>(MPI_COMM_WORLD, slabs.shape, options);
  if (rank == 0 && transport == TransposeTransport::automatic) {
    fmt::print("chosen {}\n", to_string(plan->transport()));
  }
  std::memcpy(plan->source_memory(0), slabs.from.data(), slabs.from.size() * sizeof(Complex));
  return {to_string(transport),
          [plan, &slabs] { plan->transpose(plan->source_memory(0), slabs.to.data()); }};
}

/// What any transpose has to do at least: each element is read and written once, by all threads.
Contender bound(Slabs& slabs) {
  return {"bound", [&slabs] {
            const std::size_t count = std::min(slabs.from.size(), slabs.to.size());
#pragma omp parallel
            {
              const auto threads = static_cast<std::size_t>(omp_get_num_threads());
              const auto thread = static_cast<std::size_t>(omp_get_thread_num());
              const std::size_t begin = count * thread / threads;
              const std::size_t end = count * (thread + 1) / threads;
              std::memcpy(static_cast<void*>(slabs.to.data() + begin), slabs.from.data() + begin,
                          (end - begin) * sizeof(Complex));
            }
          }};
}

double timed(const Contender& contender) {
  MPI_Barrier(MPI_COMM_WORLD);
  const auto begin = std::chrono::steady_clock::now();
  contender.run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int run(int argc, char** argv, int rank) {
  if (argc != 3) throw CollectiveError("contest", "needs two arguments", "run bench/transpose");
  const int rounds = std::atoi(argv[2]);
  Slabs slabs(std::atoi(argv[1]));
  const Transpose plan(MPI_COMM_WORLD, slabs.shape, {1, -1, TransposeTransport::alltoallv});
  slabs.from.resize(static_cast<std::size_t>(plan.source().elements));
  slabs.to.resize(static_cast<std::size_t>(plan.destination().elements));
  for (std::size_t i = 0; i < slabs.from.size(); ++i) {
    slabs.from[i] = Complex(rank, static_cast<double>(i));
  }
  std::vector<Contender> contenders;
  for (const TransposeTransport transport : transports) {
    contenders.push_back(library(slabs, transport, rank));
  }
  contenders.push_back(packed_by_hand(slabs, plan));
  contenders.push_back(bound(slabs));
#ifdef PLAIT_BENCH_FFTW
  for (Contender& peer : fftw_peers(slabs)) contenders.push_back(std::move(peer));
#endif
  // All of the library's and the one by hand must give the same.
  std::vector<Complex> first;
  for (Contender& contender : contenders) {
    std::ranges::fill(slabs.to, Complex());
    contender.run();
    if (contender.name.starts_with("fft") || contender.name == "bound") continue;
    if (first.empty()) first = slabs.to;
    if (first != slabs.to) throw Error(contender.name, "gives another result", "");
  }
  std::vector<std::vector<double>> times(contenders.size());
  for (int round = 0; round < rounds; ++round) {
    // Each round begins with another one: a contender finds the cache as the one before left it.
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      const std::size_t i = (turn + static_cast<std::size_t>(round)) % contenders.size();
      times[i].push_back(timed(contenders[i]));
    }
  }
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    MPI_Allreduce(MPI_IN_PLACE, times[i].data(), rounds, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank != 0) continue;
    fmt::print("sample {}", contenders[i].name);
    for (const double s : times[i]) fmt::print(" {:.9f}", s);
    fmt::print("\n");
  }
  return 0;
}

}  // namespace
}  // namespace plait::bench

int main(int argc, char** argv) {
  const plait::Environment environment(argc, argv);
  return plait::guarded("contest",
                        [&] { return plait::bench::run(argc, argv, environment.rank()); });
}
