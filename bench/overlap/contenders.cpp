// SPDX-License-Identifier: BSD-3-Clause
// Contenders by name, and their interleaved timing.
#include "contenders.hpp"

#include <algorithm>
#include <cmath>

#include "plait/environment.hpp"

namespace plait::bench {

namespace {

/// A batch of steps takes about this long, so that the barrier before it does not count.
constexpr double kBatch_s = 0.02;
constexpr int kFewestRounds = 7;

Contender by_schedule(const std::string& name, Halo& halo, StepWork& work) {
  Contender contender{name, {}, nullptr, {}};
  std::string text = name;
  std::replace(text.begin(), text.end(), ';', ',');
  try {
    contender.stepper = std::make_unique<Stepper>(halo, Schedule::parse(text));
  } catch (const CollectiveError& error) {
    contender.refused = error.what();
    return contender;
  }
  contender.step = [&work, stepper = contender.stepper.get()] {
    stepper->step(work.exchanged(), [&work](const Box& box) { work.update(box); });
    work.next();
  };
  return contender;
}

double batch_s(Contender& contender, MPI_Comm comm, int steps) {
  MPI_Barrier(comm);
  const double start = MPI_Wtime();
  for (int step = 0; step < steps; ++step) contender.step();
  double elapsed = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &elapsed, 1, MPI_DOUBLE, MPI_MAX, comm);
  return elapsed / steps;
}

}  // namespace

std::vector<Contender> make_contenders(const std::vector<std::string>& names, ByHand& hand,
                                       Halo& halo, StepWork& work) {
  std::vector<Contender> contenders;
  for (const std::string& name : names) {
    void (ByHand::*step)() = name == "hand"               ? &ByHand::blocking_step
                             : name == "hand_nonblocking" ? &ByHand::nonblocking_step
                             : name == "exchange"         ? &ByHand::exchange
                             : name == "compute"          ? &ByHand::compute
                             : name == "compute_one"      ? &ByHand::compute_by_one
                                                          : nullptr;
    if (step)
      contenders.push_back({name, [&hand, step] { (hand.*step)(); }, nullptr, {}});
    else
      contenders.push_back(by_schedule(name, halo, work));
  }
  return contenders;
}

int settle(Contender& contender) {
  constexpr int most = 400;
  int steps = 0;
  while (contender.stepper && contender.stepper->deciding() && steps < most) {
    contender.step();
    ++steps;
  }
  return steps;
}

std::vector<std::vector<double>> interleaved(std::vector<Contender>& contenders, MPI_Comm comm,
                                             double budget_s, int max_rounds) {
  const auto count = contenders.size();
  std::vector<int> steps(count, 0);
  std::vector<std::vector<double>> samples(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!contenders[i].refused.empty()) continue;
    const double step_s =
        std::min(batch_s(contenders[i], comm, 2), batch_s(contenders[i], comm, 2));
    steps[i] = std::clamp(static_cast<int>(std::lround(kBatch_s / step_s)), 2, 50);
  }
  const double start = MPI_Wtime();
  for (int round = 0; round < max_rounds; ++round) {
    int over = MPI_Wtime() - start > budget_s ? 1 : 0;
    MPI_Bcast(&over, 1, MPI_INT, 0, comm);
    if (over && round >= kFewestRounds) break;
    for (std::size_t turn = 0; turn < count; ++turn) {
      const std::size_t i = (turn + static_cast<std::size_t>(round)) % count;
      if (steps[i] > 0) samples[i].push_back(batch_s(contenders[i], comm, steps[i]));
    }
  }
  return samples;
}

}  // namespace plait::bench
