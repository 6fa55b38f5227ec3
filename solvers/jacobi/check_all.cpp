// SPDX-License-Identifier: BSD-3-Clause
// The proof, on this machine and MPI, that no schedule changes a bit.
#include "check_all.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include "first_ranks.hpp"
#include "plait/environment.hpp"
#include "solve.hpp"

namespace plait::jacobi {
namespace {

/// One way to run.
struct Way {
  std::string name;
  Options options;
};

std::vector<Way> ways(const Options& options) {
  std::vector<Way> all;
  for (const ScheduleKind kind : schedule_kinds()) {
    for (const Order order : {Order::step, Order::advance}) {
      Way way{to_string(kind) + (order == Order::step ? ", exchange first" : ", boundary first"),
              options};
      way.options.schedule.kind = kind;
      way.options.order = order;
      way.options.temporal = 1;
      all.push_back(way);
    }
  }
  for (const int sweeps : {2, 3}) {
    Way way{"temporal, " + std::to_string(sweeps) + " sweeps a pass", options};
    way.options.temporal = sweeps;
    all.push_back(way);
  }
  return all;
}

struct Tally {
  int runs = 0;
  int unlike = 0;
  std::string refused;
};

/// One run on one number of ranks; counted on all ranks alike.
void run(const Options& options, int ranks, Tally& tally, const std::string& name, bool printing) {
  std::int64_t unlike = 0;
  try {
    on_first_ranks(ranks, [&](MPI_Comm comm) { unlike = solve(comm, options).unlike_reference; });
  } catch (const CollectiveError& error) {
    if (tally.refused.empty()) tally.refused = error.what();
    return;
  }
  MPI_Bcast(&unlike, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  ++tally.runs;
  if (unlike == 0) return;
  ++tally.unlike;
  if (!printing) return;
  std::printf("  %s on %d ranks x %d threads: %lld cells differ\n", name.c_str(), ranks,
              options.threads, static_cast<long long>(unlike));
}

}  // namespace

int check_all(const Options& options) {
  int size = 1;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Options one = options;
  one.check = true;
  one.grid.ranks = {0, 0, 0};
  int unlike = 0;
  int runs = 0;
  for (Way& way : ways(one)) {
    Tally tally;
    for (const int ranks : rank_counts(size, true)) {
      for (int threads = 1; threads <= options.threads; ++threads) {
        way.options.threads = threads;
        run(way.options, ranks, tally, way.name, rank == 0);
      }
    }
    unlike += tally.unlike;
    runs += tally.runs;
    if (rank != 0) continue;
    std::printf("%-32s %3d runs, %d unlike%s%s\n", way.name.c_str(), tally.runs, tally.unlike,
                tally.refused.empty() ? "" : "; refused: ", tally.refused.c_str());
    std::fflush(stdout);
  }
  if (rank == 0) {
    if (unlike == 0 && runs > 0) {
      std::printf("check: all %d runs equal to the serial reference, bit for bit\n", runs);
    } else {
      std::printf("check: %d of %d runs differ from the serial reference\n", unlike, runs);
    }
  }
  return unlike == 0 && runs > 0 ? 0 : 1;
}

}  // namespace plait::jacobi
