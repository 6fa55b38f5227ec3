// SPDX-License-Identifier: BSD-3-Clause
// The overlap operators: the time of a step from its computation and communication, by schedule.
#include "model/overlap.hpp"

#include <algorithm>

namespace plait::model {
namespace {

/// The inputs of a formula at one end of the interval of its result.
struct Inputs {
  const SpeedTable& speed;
  int threads;
  Bound end;  ///< end of the result; low is fast
  double interior;
  double boundary;
  double communicate_s;
  double cpu_s;

  [[nodiscard]] double p(int cores) const {
    if (end == Bound::low) return speed.at(cores, Bound::high);
    return speed.at(cores, end == Bound::high ? Bound::low : Bound::value);
  }
  [[nodiscard]] double all() const { return p(threads); }
  /// Cells that one core would update in the CPU time of the exchange.
  [[nodiscard]] double stolen_cells() const { return p(1) * cpu_s; }
};

double exchange_at(const StepWork& work, Bound end) {
  if (end == Bound::low && work.communicate_low_s > 0) {
    return std::min(work.communicate_low_s, work.communicate_s);
  }
  if (end == Bound::high) return std::max(work.communicate_high_s, work.communicate_s);
  return work.communicate_s;
}

/// The value and the interval of a formula.
template <class Formula>
Predicted predicted(const StepWork& work, const SpeedTable& speed, int threads,
                    const Formula& formula) {
  const double boundary = std::min(work.boundary_cells, work.cells);
  const auto at = [&](Bound end) {
    return formula(Inputs{speed, std::max(1, threads), end, work.cells - boundary, boundary,
                          exchange_at(work, end), work.communication_cpu_s});
  };
  const double s = at(Bound::value);
  return {s, std::min(s, at(Bound::low)), std::max(s, at(Bound::high))};
}

double dedicated_thread(const Inputs& in) {
  const double interior = in.interior + (in.end == Bound::high ? in.stolen_cells() : 0);
  return std::max(interior / in.p(in.threads - 1), in.communicate_s + in.boundary / in.p(1));
}

double thread_beside_team(const Inputs& in) {
  const double interior_s = in.interior / in.all();
  const double cpu_s = in.end == Bound::low ? in.stolen_cells() / in.all() : in.cpu_s;
  return std::max(interior_s + cpu_s, in.communicate_s) + in.boundary / in.all();
}

double joined_tasks(const Inputs& in) {
  const double work = in.interior + (in.end == Bound::high ? in.stolen_cells() : 0);
  const double left = std::max(0.0, work - in.p(in.threads - 1) * in.communicate_s);
  return in.communicate_s + (left + in.boundary) / in.all();
}

}  // namespace

Predicted blocking_time(const StepWork& work, const SpeedTable& speed, int threads) {
  return predicted(work, speed, threads, [](const Inputs& in) {
    return (in.interior + in.boundary) / in.all() + in.communicate_s;
  });
}

Predicted nonblocking_time(const StepWork& work, const SpeedTable& speed, int threads,
                           double progress) {
  const double part = std::clamp(progress, 0.0, 1.0);
  return predicted(work, speed, threads, [part](const Inputs& in) {
    const double beside =
        in.end == Bound::high ? 0 : std::min(part * in.communicate_s, in.interior / in.all());
    return (in.interior + in.boundary) / in.all() + in.communicate_s - beside;
  });
}

Predicted comm_thread_time(const StepWork& work, const SpeedTable& speed, int threads, bool extra) {
  return predicted(work, speed, threads,
                   extra || threads <= 1 ? thread_beside_team : dedicated_thread);
}

Predicted tasks_time(const StepWork& work, const SpeedTable& speed, int threads) {
  return predicted(work, speed, threads, joined_tasks);
}

Predicted ideal_overlap_time(const StepWork& work, const SpeedTable& speed, int threads) {
  return predicted(work, speed, threads, [](const Inputs& in) {
    return std::max(in.interior / in.all(), in.communicate_s) + in.boundary / in.all();
  });
}

}  // namespace plait::model
