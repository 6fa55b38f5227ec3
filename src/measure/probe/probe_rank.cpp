// SPDX-License-Identifier: BSD-3-Clause
// One rank of the probe: goes through the plan's steps with the others.
#include "probe_rank.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstring>

#include "measure/affinity.hpp"
#include "measure/repetitions.hpp"
#include "measure/rounds.hpp"
#include "measure/sentinel_kernel.hpp"
#include "measure/sizes.hpp"
#include "mpi_channel.hpp"

namespace plait::measure {
namespace {

std::vector<std::uint64_t> sizes_of(const ProbeStep& step) {
  return step.kind == StepKind::multi_pair ? multi_pair_sizes() : message_sizes();
}

std::byte pattern(std::size_t i, int side) {
  return static_cast<std::byte>((i * 131 + static_cast<std::size_t>(side) * 7 + 1) & 0xff);
}

}  // namespace

ProbeRank::ProbeRank(const MpiLibrary& mpi, const ProbePlan& plan, int rank, RankFile& file)
    : mpi_(mpi),
      plan_(plan),
      file_(file),
      rank_(rank),
      random_(plan.seed),
      send_(std::max(kLargestMessage, plan.off_cache_bytes)),
      receive_(std::max(kLargestMessage, plan.off_cache_bytes)) {
  std::memset(send_.bytes(), 1, send_.size());
  std::memset(receive_.bytes(), 2, receive_.size());
}

void ProbeRank::run_step(std::size_t index) {
  const ProbeStep& step = plan_.steps[index];
  Role role;
  role.pairs = static_cast<int>(step.pairs.size());
  for (int i = 0; i < role.pairs; ++i) {
    const RankPair& pair = step.pairs[static_cast<std::size_t>(i)];
    if (pair.leader == rank_) role.place = 2 * i;
    if (pair.follower == rank_) role.place = 2 * i + 1;
  }
  mpi_.comm_split(mpi_.world, role.place >= 0 ? 0 : MPI_UNDEFINED, role.place, &role.comm);
  if (role.place >= 0) {
    const std::int64_t delay_before = run_delay_ns();
    const std::int64_t begin = now_ns();
    check_data(role);
    if (role.place == 0) {
      lead(index, role);
    } else {
      follow(step, role);
    }
    const double delay_s =
        static_cast<double>(std::max<std::int64_t>(0, run_delay_ns() - delay_before)) * 1e-9;
    file_.line(fmt::format("delay {} {}", delay_s, static_cast<double>(now_ns() - begin) * 1e-9));
    mpi_.comm_free(&role.comm);
  }
  sleep_until_all_are_here();
}

void ProbeRank::lead(std::size_t index, const Role& role) {
  const ProbeStep& step = plan_.steps[index];
  const std::vector<std::uint64_t> sizes = sizes_of(step);
  file_.line(fmt::format("sentinel {} {:.5g}", index, run_sentinel()));
  const auto tell = [&](Order order) {
    mpi_.bcast(&order, sizeof(order), mpi_.byte, 0, role.comm);
    return order.cell >= 0 ? carry_out(step, role, order) : 0.0;
  };
  const Deadline deadline(step.seconds);
  std::vector<int> repetitions;
  for (int cell = 0; cell < static_cast<int>(sizes.size()); ++cell) {
    tell({cell, 1});  // the first message sets up queues and buffers
    const double began_s = now_s();
    tell({cell, kWarmUp});
    repetitions.push_back(repetitions_for((now_s() - began_s) / kWarmUp, kSampleSeconds));
  }
  const RoundsPlan rounds{deadline.left_s(), plan_.relative_width, plan_.max_rounds};
  const RoundsResult result =
      sample_in_rounds(sizes.size(), rounds, random_, [&](std::size_t cell) {
        return tell({static_cast<int>(cell), repetitions[cell]});
      });
  tell({-1, 0});
  for (std::size_t cell = 0; cell < sizes.size(); ++cell) {
    file_.line(fmt::format("cell {} {} : {:.6g}", index, sizes[cell],
                           fmt::join(result.samples[cell], " ")));
  }
}

void ProbeRank::follow(const ProbeStep& step, const Role& role) {
  while (true) {
    Order order;
    mpi_.bcast(&order, sizeof(order), mpi_.byte, 0, role.comm);
    if (order.cell < 0) return;
    carry_out(step, role, order);
  }
}

double ProbeRank::carry_out(const ProbeStep& step, const Role& role, const Order& order) {
  const std::size_t bytes = sizes_of(step)[static_cast<std::size_t>(order.cell)];
  if (step.kind != StepKind::multi_pair) {
    return seconds_of_pair(step, role, bytes, order.repetitions) / order.repetitions * 1e6;
  }
  mpi_.barrier(role.comm);
  const double seconds = seconds_of_pair(step, role, bytes, order.repetitions);
  // All pairs move the same; the slowest says how long all of it took.
  double slowest = 0;
  mpi_.reduce(&seconds, &slowest, 1, mpi_.real, mpi_.max, 0, role.comm);
  const double moved = static_cast<double>(bytes) * order.repetitions * role.pairs;
  return slowest > 0 ? moved / slowest * 1e-9 : 0;
}

double ProbeRank::seconds_of_pair(const ProbeStep& step, const Role& role, std::size_t bytes,
                                  int repetitions) {
  const bool leads = role.place % 2 == 0;
  MpiChannel channel(mpi_, role.comm, leads ? role.place + 1 : role.place - 1);
  Side side{send_.bytes(), receive_.bytes(), send_.size()};
  side.off_cache = step.kind == StepKind::pingpong_off_cache;
  if (step.kind == StepKind::pingping) return pingping(channel, side, leads, bytes, repetitions);
  if (leads) return pingpong_leader(channel, side, bytes, repetitions) / 2;
  pingpong_follower(channel, side, bytes, repetitions);
  return 0;
}

void ProbeRank::check_data(const Role& role) {
  const int side = role.place % 2;
  MpiChannel channel(mpi_, role.comm, side == 0 ? role.place + 1 : role.place - 1);
  for (const std::size_t bytes : {std::size_t{1000}, std::size_t{300000}}) {
    for (std::size_t i = 0; i < bytes; ++i) send_.bytes()[i] = pattern(i, side);
    channel.exchange(send_.bytes(), receive_.bytes(), bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      if (receive_.bytes()[i] == pattern(i, 1 - side)) continue;
      file_.line(fmt::format("error a message of {} bytes arrived damaged", bytes));
      break;
    }
  }
}

void ProbeRank::sleep_until_all_are_here() {
  // A blocking barrier would spin on this rank's core and disturb those that measure.
  MPI_Request request{};
  mpi_.ibarrier(mpi_.world, &request);
  int done = 0;
  while (true) {
    mpi_.test(&request, &done, mpi_.no_status);
    if (done != 0) return;
    const timespec pause{0, 200'000};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace plait::measure
