// SPDX-License-Identifier: BSD-3-Clause
// Measures the cost of a step's computation and communication on real steps.
#include "solve/automatic/calibration.hpp"

#include <omp.h>

#include <algorithm>

#include "base/statistics.hpp"
#include "solve/schedules/stepper_team.hpp"

namespace plait::solve {
namespace {

Schedule with_wait(Schedule schedule, Wait wait) {
  schedule.wait = wait;
  return schedule;
}

/// Median, lowest and highest of one number of each step.
template <class Number>
Spread spread_of(const std::vector<StepTimes>& steps, const Number& number) {
  std::vector<double> values;
  for (const StepTimes& step : steps) values.push_back(number(step));
  if (values.empty()) return {};
  const auto [low, high] = std::ranges::minmax(values);
  return {median(values), low, high};
}

/// Replaces each number by the largest of all ranks.
void agree_on_largest(MPI_Comm comm, const std::vector<double*>& numbers) {
  std::vector<double> values;
  for (const double* number : numbers) values.push_back(*number);
  largest_of_ranks(comm, values);
  for (std::size_t i = 0; i < numbers.size(); ++i) *numbers[i] = values[i];
}

}  // namespace

void largest_of_ranks(MPI_Comm comm, std::span<double> numbers) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE,
                 MPI_MAX, comm, &request);
  wait_politely(request);
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
  Spread compute = spread_of(blocking, [](const StepTimes& t) { return t.compute_s; });
  Spread total = spread_of(blocking, [](const StepTimes& t) { return t.compute_s + t.exchange_s; });
  Spread interior = spread_of(one_less, [](const StepTimes& t) { return t.compute_s; });
  Spread boundary = spread_of(one_less, [](const StepTimes& t) { return t.boundary_s; });
  Spread cpu = spread_of(asleep, [](const StepTimes& t) { return t.exchange_cpu_s; });
  const Spread wait = spread_of(blocking, [](const StepTimes& t) { return t.wait_s; });
  const Spread wait_after = spread_of(nonblocking, [](const StepTimes& t) { return t.wait_s; });

  const Cells& cells = runner_.cells();
  auto own_cells = static_cast<double>(cells.own[0].cells());
  auto interior_cells = static_cast<double>(cells.interior.cells());
  double boundary_cells = 0;
  for (const Box& box : cells.boundary) boundary_cells += static_cast<double>(box.cells());
  // The part of the communication that overlapped, of what could have: the shorter of the two.
  const double could_s = std::min(wait.median, compute.median * interior_cells / own_cells);
  const double progress =
      could_s > 0 ? std::clamp((wait.median - wait_after.median) / could_s, 0.0, 1.0) : 0.0;

  double progress_missing = 1 - progress;
  auto bytes = static_cast<double>(runner_.halo().bytes());
  auto threads = static_cast<double>(omp_get_max_threads());
  agree_on_largest(
      runner_.halo().grid().comm(),
      {&compute.median, &compute.low, &compute.high, &total.median, &total.low, &total.high,
       &interior.median, &interior.low, &interior.high, &boundary.median, &cpu.median,
       &progress_missing, &own_cells, &interior_cells, &boundary_cells, &bytes, &threads});

  // A rank with little computation waits for one with much, which is not communication. So the
  // communication is the whole step, equally long on all ranks, less the longest computation.
  const auto rest = [](double whole, double part) { return std::max(0.0, whole - part); };
  Spread communicate = {rest(total.median, compute.median), rest(total.low, compute.low),
                        rest(total.high, compute.high)};
  communicate.low = std::min({communicate.low, communicate.median, communicate.high});
  communicate.high = std::max({communicate.median, communicate.high});

  Calibrated& r = result_;
  r.compute_s = compute;
  r.communicate_s = communicate;
  r.interior_less_one_s = interior;
  r.own_cells = own_cells;
  r.interior_cells = interior_cells;
  r.boundary_cells = boundary_cells;
  r.bytes = bytes;
  r.threads = static_cast<int>(threads);
  r.costs.compute_s = compute.median;
  r.costs.compute_less_one_s =
      r.threads > 1 && interior_cells > 0 ? interior.median * own_cells / interior_cells : 0;
  r.costs.boundary_s = boundary.median;
  r.costs.communicate_s = communicate.median;
  r.costs.communication_cpu_s = std::min(cpu.median, communicate.high);
  r.costs.owns_core = runner_.node().team_fits;
  r.costs.progress = 1 - progress_missing;
  done_ = true;
}

}  // namespace plait::solve
