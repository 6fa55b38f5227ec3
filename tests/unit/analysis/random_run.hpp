// SPDX-License-Identifier: BSD-3-Clause
// A random run of many ranks, and results of its analysis as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../random.hpp"
#include "analysis/analysis.hpp"
#include "analysis/analysis_json.hpp"
#include "base/json.hpp"
#include "programs.hpp"

namespace plait::analysis::test {

inline constexpr int kRandomRanks =
    200;  // more than three times as many as processes have together

/// Iterations of a halo exchange and an all-to-all collective, with messages of random pairs,
/// rooted collectives, barriers, polling, other threads and waiting for CPUs in between.
inline trace::Trace random_run(std::uint64_t seed) {
  plait::test::Random random(seed);
  trace::MadeTrace made(kRandomRanks, 16);
  std::vector<int> some;
  for (int rank = 0; rank < kRandomRanks; rank += 1 + random.in(0, 6)) some.push_back(rank);
  const std::uint32_t few = made.comm(some);
  const auto length = [&] { return random.in(1, 1000) * 1e-6; };
  const auto bytes = [&] { return static_cast<std::uint64_t>(random.coin() ? 100 : 100'000); };
  const int slow = random.in(0, kRandomRanks - 1);
  for (int step = 0; step < 40; ++step) {
    made.from("halo");
    for (int rank = 0; rank < kRandomRanks; ++rank) {
      compute_in(made, rank, "solve", rank == slow ? 3e-3 : length());
      if (random.in(0, 30) == 0) made.wait_for_cpu(rank, 1e-5 * random.in(0, 100), 1e-4);
      const int next = (rank + 1) % kRandomRanks, last = (rank + kRandomRanks - 1) % kRandomRanks;
      const std::uint32_t in = made.ireceive(rank, last, 100'000, 1e-6, 1000);
      const std::uint32_t out = made.isend(rank, next, 4096, length(), 1000);
      made.compute(rank, length());
      made.wait(rank, {in, out}, length());
    }
    made.from("dot");
    if (random.coin()) {
      together(made, all_ranks(kRandomRanks), "MPI_Allreduce", 8);
    } else {
      for (int rank = 0; rank < kRandomRanks; ++rank)
        made.collective(rank, "MPI_Allreduce", 8, length());
    }
    switch (random.in(0, 5)) {
      case 0:
        for (int i = 0; i < 20; ++i) {
          made.from(random.coin() ? "pair" : "other pair");
          const int from = random.in(0, kRandomRanks - 2),
                    to = random.in(from + 1, kRandomRanks - 1);
          made.send(from, to, bytes(), length(), i, random.coin() ? "MPI_Send" : "MPI_Ssend");
          made.receive(to, from, 100'000, length(), i, random.coin());
        }
        break;
      case 1: {
        made.from("rooted");
        const int root = random.in(0, static_cast<int>(some.size()) - 1);
        const char* const function = random.coin()   ? "MPI_Bcast"
                                     : random.coin() ? "MPI_Gather"
                                                     : "MPI_Scan";
        for (const int rank : some) {
          made.collective(rank, function, bytes(), length(), root, few);
        }
        break;
      }
      case 2:
        made.from("barrier");
        together(made, all_ranks(kRandomRanks), "MPI_Barrier", 0, length());
        break;
      case 3:
        for (const int rank : {3, 70, 150}) {
          made.poll(rank, length());
          made.other(rank, "MPI_Pack", length());
        }
        break;
      case 4: {
        const int rank = random.in(0, kRandomRanks - 2);
        const double begin = made.now(rank);
        made.compute(rank, length());
        made.on_thread(rank, 1);
        made.compute(rank, begin + length() - made.now(rank));
        made.send(rank, rank + 1, 100, length(), 500);
        made.on_thread(rank, 0);
        made.receive(rank + 1, rank, 100, length(), 500);
        break;
      }
      default:
        break;
    }
  }
  return made.take();
}

inline std::string text_of(const Analysis& analysis, const trace::Trace& trace) {
  std::vector<std::string> sites;
  for (std::size_t site = 0; site < trace.sites.size(); ++site) {
    sites.push_back(site_name(trace, static_cast<std::uint32_t>(site)));
  }
  return to_json(analysis, trace, sites).dump(1);
}

}  // namespace plait::analysis::test
