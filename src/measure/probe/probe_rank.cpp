// SPDX-License-Identifier: BSD-3-Clause
// One rank of the probe: runs the steps of the plan with the others.
#include "probe_rank.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "measure/affinity.hpp"
#include "measure/rounds.hpp"
#include "measure/sentinel_kernel.hpp"
#include "measure/sizes.hpp"
#include "mpi_channel.hpp"

namespace plait::measure {
namespace {

/// A step skips its remaining cells if the warm-up exceeds its seconds by this multiple of them,
/// and by the time that other jobs may interrupt it.
constexpr double kPatience = 2;
constexpr double kInterruption = 0.5;
/// Seconds from which on a cell is warm after one repetition.
constexpr double kLongCell = 0.02;

std::byte pattern(std::size_t i, int side) {
  return static_cast<std::byte>((i * 131 + static_cast<std::size_t>(side) * 7 + 1) & 0xff);
}

/// Enough for all messages of the steps in which the rank takes part.
std::size_t buffer_bytes(const ProbePlan& plan, int rank) {
  std::uint64_t bytes = std::max(kLargestMessage, plan.off_cache_bytes);
  for (const ProbeStep& step : plan.steps) {
    const std::vector<int> members = members_of(step);
    const bool takes_part = std::find(members.begin(), members.end(), rank) != members.end();
    if (takes_part) bytes = std::max(bytes, largest_message(step));
  }
  return bytes;
}

}  // namespace

ProbeRank::ProbeRank(const MpiLibrary& mpi, const ProbePlan& plan, int rank, MPI_Comm world,
                     std::vector<int> allowed, RankFile& file)
    : mpi_(mpi),
      plan_(plan),
      file_(file),
      rank_(rank),
      world_(world),
      allowed_(std::move(allowed)),
      random_(plan.seed),
      send_(buffer_bytes(plan, rank), PageSize::system),
      receive_(buffer_bytes(plan, rank), PageSize::system) {
  std::memset(send_.bytes(), 1, send_.size());
  std::memset(receive_.bytes(), 2, receive_.size());
}

void ProbeRank::run_step(std::size_t index) {
  const ProbeStep& step = plan_.steps[index];
  const std::vector<int> members = members_of(step);
  const auto found = std::find(members.begin(), members.end(), rank_);
  const bool takes_part = found != members.end();
  const int place = takes_part ? static_cast<int>(found - members.begin()) : 0;
  MPI_Comm comm{};
  mpi_.comm_split(world_, takes_part ? 0 : MPI_UNDEFINED, place, &comm);
  if (takes_part) {
    const TaskContext context{mpi_,  plan_,    step,
                              comm,  place,    static_cast<int>(members.size()),
                              send_, receive_, allowed_};
    const std::int64_t delay_before = run_delay_ns();
    const std::int64_t begin = now_ns();
    check_data(context);
    if (place == 0) {
      lead(index, context);
    } else {
      follow(context);
    }
    const double delay_s =
        static_cast<double>(std::max<std::int64_t>(0, run_delay_ns() - delay_before)) * 1e-9;
    file_.line(fmt::format("delay {} {}", delay_s, static_cast<double>(now_ns() - begin) * 1e-9));
    mpi_.comm_free(&comm);
  }
  sleep_until_all_are_here();
}

Sample ProbeRank::carry_out(Task& task, const Cell& cell, int repetitions,
                            const TaskContext& context) {
  const std::int64_t delay_before = run_delay_ns();
  const std::int64_t begin = now_ns();
  const double value = task.carry_out(cell, repetitions);
  const auto took = static_cast<double>(std::max<std::int64_t>(1, now_ns() - begin));
  const auto delay = static_cast<double>(std::max<std::int64_t>(0, run_delay_ns() - delay_before));
  const double own = delay / took;
  double most = 0;
  mpi_.reduce(&own, &most, 1, mpi_.real, mpi_.max, 0, context.comm);
  return {value, most};
}

void ProbeRank::lead(std::size_t index, const TaskContext& context) {
  const ProbeStep& step = plan_.steps[index];
  const std::unique_ptr<Task> task = make_task(context);
  const std::vector<Cell> cells = task->cells();
  file_.line(fmt::format("sentinel {} {:.5g}", index, run_sentinel()));
  const auto give = [&](Order order) {
    mpi_.bcast(&order, sizeof(order), mpi_.byte, 0, context.comm);
    if (order.cell < 0) return Sample(0);
    return carry_out(*task, cells[static_cast<std::size_t>(order.cell)], order.repetitions,
                     context);
  };
  const Deadline deadline(step.seconds);
  std::vector<int> repetitions;
  // If messages take far longer than expected, the remaining cells are skipped.
  for (int cell = 0; cell < static_cast<int>(cells.size()); ++cell) {
    if (deadline.left_s() < -kPatience * step.seconds - kInterruption) break;
    double began_s = now_s();
    give({cell, 1});  // the first message sets up queues and buffers
    const int more = now_s() - began_s < kLongCell ? kWarmUp : 1;
    began_s = now_s();
    give({cell, more});
    repetitions.push_back(repetitions_for((now_s() - began_s) / more, kSampleSeconds));
  }
  const RoundsPlan rounds{deadline.left_s(), plan_.relative_width, plan_.max_rounds};
  const RoundsResult result =
      sample_in_rounds(repetitions.size(), rounds, random_, [&](std::size_t cell) {
        return give({static_cast<int>(cell), repetitions[cell]});
      });
  give({-1, 0});
  for (std::size_t cell = 0; cell < repetitions.size(); ++cell) {
    file_.line(fmt::format("cell {} {} {} {} : {:.6g}", index, cells[cell].bytes,
                           cells[cell].variant, result.disturbed[cell],
                           fmt::join(result.samples[cell], " ")));
  }
  const std::size_t skipped = cells.size() - repetitions.size();
  if (skipped > 0) file_.line(fmt::format("skipped {}", skipped));
  for (const auto& [cell, value] : task->facts()) {
    file_.line(fmt::format("cell {} {} {} 0 : {:.6g}", index, cell.bytes, cell.variant, value));
  }
}

void ProbeRank::follow(const TaskContext& context) {
  const std::unique_ptr<Task> task = make_task(context);
  const std::vector<Cell> cells = task->cells();
  while (true) {
    Order order;
    mpi_.bcast(&order, sizeof(order), mpi_.byte, 0, context.comm);
    if (order.cell < 0) return;
    carry_out(*task, cells[static_cast<std::size_t>(order.cell)], order.repetitions, context);
  }
}

void ProbeRank::check_data(const TaskContext& context) {
  if (context.members % 2 != 0) return;  // the last rank has no partner
  const int side = context.place % 2;
  MpiChannel channel(mpi_, context.comm, side == 0 ? context.place + 1 : context.place - 1);
  for (const std::size_t bytes : {std::size_t{1000}, std::size_t{300000}}) {
    for (std::size_t i = 0; i < bytes; ++i) send_.bytes()[i] = pattern(i, side);
    channel.exchange(send_.bytes(), receive_.bytes(), bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      if (receive_.bytes()[i] == pattern(i, 1 - side)) continue;
      file_.line(fmt::format("error a message of {} bytes arrived with wrong data", bytes));
      break;
    }
  }
}

void ProbeRank::sleep_until_all_are_here() {
  // A blocking barrier would spin and disturb the ranks that measure.
  MPI_Request request{};
  mpi_.ibarrier(world_, &request);
  int done = 0;
  while (true) {
    mpi_.test(&request, &done, mpi_.no_status);
    if (done != 0) return;
    const timespec pause{0, 200'000};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace plait::measure
