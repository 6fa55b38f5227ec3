// SPDX-License-Identifier: BSD-3-Clause
// Measures what a step's computation and communication cost, on real steps.
#include "solve/automatic_calibration.hpp"

#include <omp.h>

#include <algorithm>
#include <array>

#include "solve/stepper_team.hpp"

namespace plait::solve {
namespace {

Schedule with_wait(Schedule schedule, Wait wait) {
  schedule.wait = wait;
  return schedule;
}

/// Lowest, median and highest of one number of each step.
template <class Number>
Spread spread_of(const std::vector<StepTimes>& steps, const Number& number) {
  std::vector<double> values;
  for (const StepTimes& step : steps) values.push_back(number(step));
  if (values.empty()) return {};
  const auto [low, high] = std::ranges::minmax(values);
  return {median_of(values), low, high};
}

}  // namespace

void largest_of_ranks(MPI_Comm comm, std::span<double> numbers) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE,
                 MPI_MAX, comm, &request);
  wait_politely(request);
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Calibration::Calibration(Runner& runner)
    : runner_(runner),
      blocking_(runner.prepare(ScheduleKind::blocking)),
      asleep_(runner.prepare(with_wait(ScheduleKind::blocking, Wait::sleep))),
      nonblocking_(runner.prepare(ScheduleKind::nonblocking)),
      kinds_{Kind::blocking, Kind::asleep, Kind::one_less, Kind::nonblocking},
      times_(kinds_.size()) {}

void Calibration::step(Order order, std::span<const FieldView> fields,
                       const Stepper::Update& update) {
  const std::size_t kind = static_cast<std::size_t>(steps_) % kinds_.size();
  StepTimes times;
  switch (kinds_[kind]) {
    case Kind::blocking:
      runner_.run(blocking_, order, fields, update, &times);
      break;
    case Kind::asleep:
      runner_.run(asleep_, order, fields, update, &times);
      break;
    case Kind::one_less:
      runner_.run_with_one_less(blocking_, order, fields, update, times);
      break;
    case Kind::nonblocking:
      runner_.run(nonblocking_, order, fields, update, &times);
      break;
  }
  if (static_cast<std::size_t>(steps_) >= kinds_.size()) times_[kind].push_back(times);
  ++steps_;
  if (static_cast<std::size_t>(steps_) == rounds * kinds_.size()) agree();
}

void Calibration::agree() {
  const auto& blocking = times_[static_cast<std::size_t>(Kind::blocking)];
  const auto& asleep = times_[static_cast<std::size_t>(Kind::asleep)];
  const auto& one_less = times_[static_cast<std::size_t>(Kind::one_less)];
  const auto& nonblocking = times_[static_cast<std::size_t>(Kind::nonblocking)];
  const Spread compute = spread_of(blocking, [](const StepTimes& t) { return t.compute_s; });
  const Spread total =
      spread_of(blocking, [](const StepTimes& t) { return t.compute_s + t.exchange_s; });
  const Spread interior = spread_of(one_less, [](const StepTimes& t) { return t.compute_s; });
  const Spread boundary = spread_of(one_less, [](const StepTimes& t) { return t.boundary_s; });
  const Spread cpu = spread_of(asleep, [](const StepTimes& t) { return t.exchange_cpu_s; });
  const Spread wait = spread_of(blocking, [](const StepTimes& t) { return t.wait_s; });
  const Spread wait_after = spread_of(nonblocking, [](const StepTimes& t) { return t.wait_s; });

  const Cells& cells = runner_.cells();
  double boundary_cells = 0;
  for (const Box& box : cells.boundary) boundary_cells += static_cast<double>(box.cells());
  const auto own_cells = static_cast<double>(cells.own[0].cells());
  // What moved beside the interior, of what could have: the shorter of the two.
  const double could_s = std::min(
      wait.median, compute.median * static_cast<double>(cells.interior.cells()) / own_cells);
  const double progress =
      could_s > 0 ? std::clamp((wait.median - wait_after.median) / could_s, 0.0, 1.0) : 0.0;

  // Of each the largest over all ranks; of progress, negated, the least.
  std::array<double, 17> all{compute.median,
                             compute.low,
                             compute.high,
                             total.median,
                             total.low,
                             total.high,
                             interior.low,
                             interior.high,
                             interior.median,
                             boundary.median,
                             cpu.median,
                             -progress,
                             own_cells,
                             static_cast<double>(cells.interior.cells()),
                             boundary_cells,
                             static_cast<double>(runner_.halo().bytes()),
                             static_cast<double>(omp_get_max_threads())};
  largest_of_ranks(runner_.halo().grid().comm(), all);

  Calibrated& r = result_;
  r.compute_s = {all[0], all[1], all[2]};
  // A rank with little to compute waits for one with much: that is no communication. The whole
  // step, which takes equally long on all, less the longest computation is.
  const auto rest = [](double whole, double part) { return std::max(0.0, whole - part); };
  r.communicate_s = {rest(all[3], all[0]), rest(all[4], all[1]), rest(all[5], all[2])};
  r.communicate_s.low =
      std::min({r.communicate_s.low, r.communicate_s.median, r.communicate_s.high});
  r.communicate_s.high = std::max({r.communicate_s.median, r.communicate_s.high});
  r.interior_less_one_s = {all[8], all[6], all[7]};
  r.own_cells = all[12];
  r.interior_cells = all[13];
  r.boundary_cells = all[14];
  r.bytes = all[15];
  r.threads = static_cast<int>(all[16]);
  r.costs.compute_s = all[0];
  r.costs.compute_less_one_s =
      r.threads > 1 && r.interior_cells > 0 ? all[8] * r.own_cells / r.interior_cells : 0;
  r.costs.boundary_s = all[9];
  r.costs.communicate_s = r.communicate_s.median;
  r.costs.communication_cpu_s = std::min(all[10], r.communicate_s.high);
  r.costs.owns_core = runner_.node().team_fits;
  r.costs.progress = -all[11];
  done_ = true;
}

}  // namespace plait::solve
