// SPDX-License-Identifier: BSD-3-Clause
// Checks on this machine and MPI that no schedule changes any bit.
#include "check_all.hpp"

#include <omp.h>

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "first_ranks.hpp"
#include "plait/environment.hpp"
#include "reference.hpp"
#include "start.hpp"
#include "sweeps.hpp"

namespace plait::jacobi {
namespace {

/// One way to sweep, and its results so far.
struct Way {
  std::string name;
  Schedule schedule;
  Order order = Order::step;
  int temporal = 1;
  int runs = 0;
  int different = 0;
  std::string refused{};
};

std::vector<Way> all_ways(const Options& options) {
  std::vector<Way> ways;
  for (const ScheduleKind kind : schedule_kinds()) {
    Schedule schedule = options.schedule;
    schedule.kind = kind;
    ways.push_back({to_string(kind) + ", exchange first", schedule, Order::step});
    ways.push_back({to_string(kind) + ", boundary first", schedule, Order::advance});
  }
  for (const int sweeps : {2, 3}) {
    ways.push_back(
        {"temporal, " + std::to_string(sweeps) + " sweeps per pass", {}, Order::step, sweeps});
  }
  return ways;
}

/// Runs every way from the same start, on one grid.
class Comparison {
public:
  /// Collective over `comm`.
  Comparison(MPI_Comm comm, const Options& options)
      : options_(options),
        problem_(make_problem(options)),
        grid_(comm, options.cells, options.grid),
        expected_(grid_, 0) {
    Fields fields = start(1);
    Reference reference(grid_, problem_, fields);
    reference.advance(options.steps);
    expected_ = reference.own_cells();
  }

  /// Runs all ways with one number of threads. Collective.
  void run(int threads, std::vector<Way>& ways) {
    omp_set_num_threads(threads);
    options_.threads = threads;
    std::optional<Fields> fields;
    std::optional<Sweeps> sweeps;
    int depth = 0;
    for (Way& way : ways) {
      try {
        if (way.temporal != depth) {
          depth = options_.temporal = way.temporal;
          sweeps.reset();
          fields.emplace(start(Sweeps::ghost(grid_, options_)));
          sweeps.emplace(grid_, problem_, options_, *fields);
        }
        if (way.temporal == 1) {
          set_start(grid_, problem_, options_, std::nullopt, *fields);
          sweeps->use(way.schedule, way.order);
        }
        for (int done = 0; done < options_.steps;) done += sweeps->some(options_.steps - done);
        count(way, cells_unlike(grid_, fields->now, expected_));
      } catch (const CollectiveError& error) {
        // Not available on this grid or in this MPI; set everything up again for the next way.
        way.refused = error.what();
        depth = 0;
      }
    }
  }

private:
  Fields start(int ghost) const {
    Fields fields{Field<double>(grid_, ghost), Field<double>(grid_, ghost), std::nullopt};
    set_start(grid_, problem_, options_, std::nullopt, fields);
    return fields;
  }

  void count(Way& way, std::int64_t differing_cells) const {
    ++way.runs;
    if (differing_cells == 0) return;
    ++way.different;
    if (grid_.rank() != 0) return;
    std::printf("  %s on %d ranks x %d threads: %lld cells differ\n", way.name.c_str(),
                grid_.size(), options_.threads, static_cast<long long>(differing_cells));
  }

  Options options_;
  Problem problem_;
  CartesianGrid grid_;
  Field<double> expected_;
};

/// @return whether all runs were equal to the reference
bool print(const std::vector<Way>& ways) {
  int runs = 0;
  int different = 0;
  for (const Way& way : ways) {
    runs += way.runs;
    different += way.different;
    std::printf("%-29s %3d runs, %d differ%s%s\n", way.name.c_str(), way.runs, way.different,
                way.refused.empty() ? "" : "; cannot run: ", way.refused.c_str());
  }
  if (different == 0 && runs > 0) {
    std::printf("check: all %d runs equal to the serial reference, bit for bit\n", runs);
    return true;
  }
  std::printf("check: %d of %d runs differ from the serial reference\n", different, runs);
  return false;
}

}  // namespace

int check_all(const Options& options) {
  int size = 1;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Options one = options;
  one.grid.ranks = {0, 0, 0};
  one.schedule.kind = ScheduleKind::blocking;
  one.grid.periodic = options.boundary.periodic_axes();
  std::vector<Way> ways = all_ways(one);
  for (const int ranks : rank_counts(size, true)) {
    on_first_ranks(ranks, [&](MPI_Comm comm) {
      Comparison comparison(comm, one);
      for (int threads = 1; threads <= options.threads; ++threads) comparison.run(threads, ways);
    });
  }
  // Rank 0 took part in every run.
  int equal = rank == 0 && print(ways) ? 1 : 0;
  MPI_Bcast(&equal, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return equal == 1 ? 0 : 1;
}

}  // namespace plait::jacobi
