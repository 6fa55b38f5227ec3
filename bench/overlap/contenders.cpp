// SPDX-License-Identifier: BSD-3-Clause
// Contenders by name, and their interleaved timing.
#include "contenders.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/statistics.hpp"
#include "plait/environment.hpp"
#include "ratio.hpp"

namespace plait::bench {

namespace {

/// The approximate length of a turn, which makes the barrier before it negligible.
constexpr double kTurn_s = 0.02;
constexpr int kFewestRounds = 7;  // of turns; single steps give many more samples
constexpr int kFewestRoundsOfSteps = 4;
constexpr int kStepsOfRound = 10;
constexpr double kLongest =
    4;  // multiple of the budget within which the figures must become precise

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

/// CPU time of all threads of this process.
double cpu_time_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Runs one turn of several steps, which all ranks start together; a sample is a step.
Taken turn(Contender& contender, MPI_Comm comm, int steps) {
  std::vector<double> ends;
  MPI_Barrier(comm);
  const double cpu_before = cpu_time_s();
  const double start = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    contender.step();
    ends.push_back(MPI_Wtime() - start);
  }
  std::array<double, 2> all{ends.back(), cpu_time_s() - cpu_before};
  Taken taken;
  taken.samples.resize(ends.size());
  std::adjacent_difference(ends.begin(), ends.end(), taken.samples.begin());
  MPI_Allreduce(MPI_IN_PLACE, taken.samples.data(), steps, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Allreduce(MPI_IN_PLACE, all.data(), 2, MPI_DOUBLE, MPI_MAX, comm);
  taken.steps = steps;
  taken.seconds = all[0];
  taken.cpu_seconds = all[1];
  return taken;
}

/// Adds a turn, with one sample per step or one for their mean.
void add(const Taken& turn, bool single_steps, Taken& taken) {
  if (single_steps)
    taken.samples.insert(taken.samples.end(), turn.samples.begin(), turn.samples.end());
  else
    taken.samples.push_back(turn.seconds / turn.steps);
  taken.steps += turn.steps;
  taken.seconds += turn.seconds;
  taken.cpu_seconds += turn.cpu_seconds;
}

/// True when automatic can be judged: the intervals of its ratios to blocking and to the fastest
/// schedule are narrower than the tolerance.
bool precise(const std::vector<Contender>& contenders, const std::vector<Taken>& taken) {
  constexpr double widest = 0.03;
  std::size_t automatic = contenders.size(), blocking = automatic, fastest = automatic;
  double fastest_s = 0;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    if (!contenders[i].stepper || taken[i].samples.empty()) continue;
    if (contenders[i].name == "automatic") {
      automatic = i;
      continue;
    }
    if (contenders[i].name == "blocking") blocking = i;
    const double s = median(taken[i].samples);
    if (fastest == contenders.size() || s < fastest_s) {
      fastest = i;
      fastest_s = s;
    }
  }
  if (automatic == contenders.size()) return true;
  for (const std::size_t other : {blocking, fastest}) {
    if (other == contenders.size()) continue;
    const auto ratio = ratio_interval(taken[automatic].samples, taken[other].samples);
    if (ratio.high - ratio.low > widest) return false;
  }
  return true;
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

std::vector<Taken> interleaved(std::vector<Contender>& contenders, MPI_Comm comm,
                               const Timing& timing) {
  const auto count = contenders.size();
  std::vector<int> steps(count, 0);
  std::vector<Taken> taken(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!contenders[i].refused.empty()) continue;
    turn(contenders[i], comm, 2);
    const double step_s = turn(contenders[i], comm, 2).seconds / 2;
    steps[i] = std::clamp(static_cast<int>(std::lround(kTurn_s / step_s)), 2, 50);
  }
  const int fewest = timing.single_steps ? kFewestRoundsOfSteps : kFewestRounds;
  const double start = MPI_Wtime();
  for (int round = 0; round < timing.rounds; ++round) {
    const double so_far_s = MPI_Wtime() - start;
    int over = so_far_s > timing.budget_s && (so_far_s > kLongest * timing.budget_s ||
                                              timing.single_steps || precise(contenders, taken));
    MPI_Bcast(&over, 1, MPI_INT, 0, comm);
    if (over && round >= fewest) break;
    for (std::size_t place = 0; place < count; ++place) {
      const std::size_t i = (place + static_cast<std::size_t>(round)) % count;
      if (steps[i] == 0) continue;
      const int of_turn = timing.single_steps ? kStepsOfRound : steps[i];
      add(turn(contenders[i], comm, of_turn), timing.single_steps, taken[i]);
    }
  }
  return taken;
}

}  // namespace plait::bench
