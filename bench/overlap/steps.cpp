// SPDX-License-Identifier: BSD-3-Clause
// The measured program: times the steps of two ranks with each contender, interleaved, and prints
// the input of the benchmark.
//
// Usage: steps real|asleep CELLS THREADS BUDGET_S ROUNDS turns|steps CONTENDER...
// Rank 0 prints `sample NAME seconds...`, `mean NAME seconds cpu_seconds` per step, `predicted
// NAME seconds low high` for each schedule, `settled SCHEDULE after STEPS`, `refused NAME reason`,
// and explain()'s table after `explain`.
#include <fmt/format.h>
#include <omp.h>

#include <cstdlib>
#include <string>

#include "contenders.hpp"
#include "plait/environment.hpp"

namespace plait::bench {
namespace {

void print_results(std::vector<Contender>& contenders, const std::vector<Taken>& taken) {
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const Contender& contender = contenders[i];
    if (!contender.refused.empty()) {
      fmt::print("refused {} {}\n", contender.name, contender.refused);
      continue;
    }
    fmt::print("sample {}", contender.name);
    for (const double s : taken[i].samples) fmt::print(" {:.9f}", s);
    fmt::print("\nmean {} {:.9f} {:.9f}\n", contender.name, taken[i].seconds / taken[i].steps,
               taken[i].cpu_seconds / taken[i].steps);
  }
}

void print_predictions(const Stepper& stepper) {
  for (const ScheduleCost& cost : stepper.schedules()) {
    if (cost.refused.empty() || cost.schedule.kind == ScheduleKind::partitioned)
      fmt::print("predicted {} {:.9f} {:.9f} {:.9f}\n", to_string(cost.schedule.kind),
                 cost.predicted_s, cost.low_s, cost.high_s);
  }
  fmt::print("explain\n{}\n", stepper.explain());
}

int run(int argc, char** argv, int rank, int size) {
  if (argc < 8 || size != 2)
    throw CollectiveError(Error("steps", "needs 2 ranks and at least seven arguments",
                                "run the benchmark overlap, which starts it"));
  const bool asleep = std::string(argv[1]) == "asleep";
  const int cells = std::atoi(argv[2]), threads = std::atoi(argv[3]);
  const Timing timing{std::atof(argv[4]), std::atoi(argv[5]), std::string(argv[6]) == "steps"};
  omp_set_num_threads(threads);

  // Two ranks along z: one face in each direction, or two if z is periodic.
  CartesianGrid::Options options;
  options.ranks = {1, 1, 2};
  options.periodic = {false, false, asleep};
  const CartesianGrid grid(MPI_COMM_WORLD, {cells, cells, 2 * cells}, options);
  const auto work =
      asleep ? asleep_jacobi(grid.own_cells()) : real_jacobi(grid.own_cells(), threads);
  const auto fields = work->exchanged();
  Halo halo(grid, fields, Halo::Options{});
  ByHand hand(grid.comm(), grid.neighbour({0, 0, -1}), grid.neighbour({0, 0, 1}), *work);

  auto contenders = make_contenders({argv + 7, argv + argc}, hand, halo, *work);
  for (Contender& contender : contenders) {
    if (const int steps = settle(contender); steps > 0 && rank == 0)
      fmt::print("settled {} after {}\n", to_string(contender.stepper->schedule()), steps);
  }
  const auto taken = interleaved(contenders, grid.comm(), timing);
  if (rank == 0) print_results(contenders, taken);

  for (Contender& contender : contenders) {
    if (contender.name != "automatic") continue;
    contender.stepper->measure(
        work->exchanged(), [&](const Box& box) { work->update(box); }, 3);
    if (rank == 0) print_predictions(*contender.stepper);
  }
  return 0;
}

}  // namespace
}  // namespace plait::bench

int main(int argc, char** argv) {
  const plait::Environment environment(argc, argv, plait::ThreadLevel::serialized);
  return plait::guarded("steps", [&] {
    return plait::bench::run(argc, argv, environment.rank(), environment.size());
  });
}
