// SPDX-License-Identifier: BSD-3-Clause
// Tests of traces as programs: what is replayed, what is left out, and the resulting efficiencies.
#include <gtest/gtest.h>

#include <algorithm>

#include "made_trace.hpp"
#include "replay/program.hpp"
#include "replay/replay.hpp"

namespace plait::replay {
namespace {

using trace::MadeTrace;
using trace::Trace;

ReplayResult on(const Trace& trace, const Network& network) {
  return replay(*program_of(trace), network);
}

/// Rank 0 {1.0 s, send 1 MB, 0.5 s, allreduce}, rank 1 {0.2 s, receive, 1.0 s, allreduce}, recorded
/// with 10 us latency and 1 GB/s.
Trace worked_example() {
  MadeTrace made(2, 1);
  made.compute(0, 1);
  made.send(0, 1, 1'000'000, 0);
  made.compute(0, 0.5);
  made.collective(0, "MPI_Allreduce", 8, 0.500984 + 0.000026);
  made.compute(1, 0.2);
  made.receive(1, 0, 1'000'000, 0.80101);
  made.compute(1, 1);
  made.collective(1, "MPI_Allreduce", 8, 0);
  return made.take();
}

TEST(TraceProgram, gives_the_efficiencies_of_the_worked_example) {
  const Trace trace = worked_example();
  const ReplayResult ideal = on(trace, ideal_network());
  EXPECT_NEAR(ideal.time_s, 2.0, 1e-9);
  const double longest = std::max(ideal.ranks[0].compute, ideal.ranks[1].compute);
  const double mean = (ideal.ranks[0].compute + ideal.ranks[1].compute) / 2;
  EXPECT_NEAR(mean / longest, 0.90, 1e-9);
  EXPECT_NEAR(longest / ideal.time_s, 0.75, 1e-9);

  Network network;
  network.between_nodes.latency_s = 10e-6;
  network.between_nodes.seconds_per_byte = 1e-9;
  network.collectives = Collectives::dependencies;
  const ReplayResult real = on(trace, network);
  EXPECT_NEAR(real.time_s, 2.00101, 1e-9);
  EXPECT_NEAR(ideal.time_s / real.time_s, 0.9995, 5e-5);
}

TEST(TraceProgram, neighbourhood_collectives_are_messages_of_neighbours) {
  // In a ring, each rank sends 1 MB to the next one and 1 MB to the one after that. Rank 0 is late.
  MadeTrace made(4, 1);
  const std::uint32_t comm = made.comm({0, 1, 2, 3}, {}, {{3, 2}, {0, 3}, {1, 0}, {2, 1}});
  made.compute(0, 1);
  for (int rank = 0; rank < 4; ++rank) {
    made.collective(rank, "MPI_Neighbor_allgather", 2'000'000, 0.1, -1, comm);
  }
  const Trace trace = made.take();
  LeftOut left_out;
  TraceProgramOptions options;
  options.left_out = &left_out;
  const ReplayResult ideal = replay(*program_of(trace, options), ideal_network());
  EXPECT_EQ(left_out.as_recorded, 0U);
  EXPECT_NEAR(ideal.time_s, 1, 1e-9);
  EXPECT_NEAR(ideal.ranks[0].waiting, 0, 1e-9);
  EXPECT_NEAR(ideal.ranks[1].waiting, 1, 1e-9);
  EXPECT_NEAR(ideal.ranks[2].waiting, 1, 1e-9);
  EXPECT_NEAR(ideal.ranks[3].waiting, 0, 1e-9) << "nobody sends to it who waits";
  Network network;
  network.between_nodes.seconds_per_byte = 1e-9;
  EXPECT_GT(on(trace, network).time_s, 1.0005);
}

TEST(TraceProgram, a_collective_that_was_not_matched_keeps_its_time) {
  MadeTrace made(1);
  made.collective(0, "MPI_Neighbor_alltoall", 8, 0.5);
  Trace trace = made.take();
  trace.ranks[0].operations[0].message = trace::kNone;
  EXPECT_NEAR(on(trace, ideal_network()).time_s, 0.5, 1e-9);
}

/// In a region of rank 0, which is from 0.1 to 3.06 s, thread 1 gets a message that travels for 2
/// s. The main thread works for 0.2 s in the region.
Trace region_with_a_receiving_thread() {
  MadeTrace made(2);
  made.compute(1, 1);
  made.send(1, 0, 8, 0);
  made.on_thread(0, 1);
  made.compute(0, 0.2);
  made.receive(0, 1, 8, 2.8);
  made.compute(0, 0.05);
  made.openmp(0, trace::EventKind::work, 0.1);
  made.on_thread(0, 0);
  made.compute(0, 0.3);
  made.openmp(0, trace::EventKind::work, 0.1);
  made.compute(0, 2.76);
  made.openmp(0, trace::EventKind::parallel, 0.1);
  made.compute(0, 0.1);
  return made.take();
}

TEST(TraceProgram, the_end_of_a_region_waits_for_its_communicating_thread) {
  const Trace trace = region_with_a_receiving_thread();
  TraceProgramOptions options;
  LeftOut left_out;
  options.left_out = &left_out;
  const auto main_threads = program_of(trace, options);
  EXPECT_EQ(left_out.other_threads, 2U);
  EXPECT_NEAR(replay(*main_threads, ideal_network()).time_s, 3.16, 1e-9);

  options.other_threads = true;
  const auto all = program_of(trace, options);
  EXPECT_EQ(left_out.other_threads, 0U);
  EXPECT_EQ(all->ranks(), 2U);
  EXPECT_EQ(all->threads(), 3U);
  const ReplayResult ideal = replay(*all, ideal_network());
  // The message comes at 1 s; then 0.05 s of the thread, 0.01 s to leave the region, and 0.1 s.
  EXPECT_NEAR(ideal.time_s, 1.16, 1e-9);
  ASSERT_EQ(ideal.ranks.size(), 2U);
  ASSERT_EQ(ideal.other_threads.size(), 1U);
  EXPECT_NEAR(ideal.ranks[0].waiting, 0, 1e-9) << "the main thread waits outside MPI";
  EXPECT_NEAR(ideal.ranks[0].compute, 1.16, 1e-9);
  EXPECT_NEAR(ideal.other_threads[0].compute, 0.1 + 0.1 + 0.05, 1e-9);
  EXPECT_NEAR(ideal.other_threads[0].waiting, 0.8, 1e-9);
  EXPECT_TRUE(ideal.stuck.empty());
}

TEST(TraceProgram, collectives_of_other_threads_have_these_as_members) {
  MadeTrace made(2);
  made.on_thread(1, 2);
  made.compute(1, 3);
  made.collective(1, "MPI_Bcast", 8, 0, 1);
  made.collective(1, "MPI_Allreduce", 8, 0);
  made.on_thread(1, 0);
  made.compute(1, 3);
  made.collective(0, "MPI_Bcast", 8, 5, 1);
  made.collective(0, "MPI_Allreduce", 8, 0);
  const Trace trace = made.take();
  TraceProgramOptions options;
  options.other_threads = true;
  const auto program = program_of(trace, options);
  for (const Network& network : {ideal_network(), Network()}) {
    const ReplayResult result = replay(*program, network);
    EXPECT_NEAR(result.time_s, 3, 1e-9);
    EXPECT_NEAR(result.ranks[0].waiting, 3, 1e-9);
  }
}

TEST(TraceProgram, one_rank_slower_by_half_makes_all_wait_on_any_network) {
  MadeTrace made(4);
  for (int iteration = 0; iteration < 10; ++iteration) {
    for (int rank = 0; rank < 4; ++rank) {
      made.compute(rank, rank == 2 ? 1.5 : 1.0);
      made.collective(rank, "MPI_Barrier", 0, rank == 2 ? 0.001 : 0.501);
    }
  }
  const ReplayResult ideal = on(made.take(), ideal_network());
  EXPECT_NEAR(ideal.time_s, 15, 1e-9);
  EXPECT_NEAR(ideal.ranks[0].waiting, 5, 1e-9);
  EXPECT_NEAR(ideal.ranks[2].waiting, 0, 1e-9);
}

TEST(TraceProgram, does_not_wait_for_a_cpu) {
  MadeTrace made(2);
  for (int iteration = 0; iteration < 10; ++iteration) {
    for (int rank = 0; rank < 2; ++rank) {
      const bool stalls = iteration % 2 == rank;
      made.compute(rank, stalls ? 1.5 : 1.0);
      if (stalls) made.wait_for_cpu(rank, 0.5);
      made.collective(rank, "MPI_Barrier", 0, stalls ? 0.001 : 0.501);
    }
    made.wait_for_cpu(0, 0, 0.25);
    made.other(0, "MPI_File_sync", 0.3);
  }
  made.compute(1, 2.0);
  made.wait_for_cpu(1, 1.0);  // before MPI_Finalize
  const ReplayResult ideal = on(made.take(), ideal_network());
  EXPECT_NEAR(ideal.ranks[0].compute, 10, 1e-9);
  EXPECT_NEAR(ideal.ranks[1].compute, 11, 1e-9);
  EXPECT_NEAR(ideal.time_s, 10 + 9 * 0.05 + 1, 1e-9);
}

TEST(TraceProgram, failed_polls_are_not_work) {
  MadeTrace made(2);
  const auto request = made.ireceive(0, 1, 8, 0);
  for (int poll = 0; poll < 1000; ++poll) {
    made.poll(0, 500e-9);
    made.compute(0, 500e-9);
  }
  made.wait(0, {request}, 1e-6, "MPI_Test");
  made.compute(1, 1e-3);
  made.send(1, 0, 8, 1e-6);
  const ReplayResult ideal = on(made.take(), ideal_network());
  EXPECT_NEAR(ideal.time_s, 1e-3, 1e-9);
  EXPECT_LT(ideal.ranks[0].compute, 1.1e-6);
  EXPECT_NEAR(ideal.ranks[0].waiting, 1e-3, 2e-6);
}

TEST(TraceProgram, polls_without_a_cpu_between_them_are_one_loop) {
  MadeTrace made(2);
  const auto request = made.ireceive(0, 1, 8, 0);
  for (int poll = 0; poll < 10; ++poll) {
    made.poll(0, 500e-9);
    made.compute(0, 1001e-6);  // 1 us of work
    made.wait_for_cpu(0, 1e-3);
  }
  made.wait(0, {request}, 1e-6, "MPI_Test");
  made.compute(1, 1e-3);
  made.send(1, 0, 8, 1e-6);
  EXPECT_LT(on(made.take(), ideal_network()).ranks[0].compute, 1.1e-6);
}

TEST(TraceProgram, work_between_polls_is_work) {
  MadeTrace made(2);
  const auto request = made.ireceive(0, 1, 8, 0);
  for (int poll = 0; poll < 10; ++poll) {
    made.compute(0, 1e-3);
    made.poll(0, 500e-9);
  }
  made.wait(0, {request}, 1e-6, "MPI_Test");
  made.compute(1, 1e-3);
  made.send(1, 0, 8, 1e-6);
  EXPECT_NEAR(on(made.take(), ideal_network()).ranks[0].compute, 10e-3, 1e-9);
}

TEST(TraceProgram, wildcard_receives_keep_their_recorded_match) {
  MadeTrace made(3);
  // In the recording rank 2 was first, although rank 1 computes less.
  made.compute(1, 0.1);
  made.send(1, 0, 8, 0);
  made.compute(2, 0.2);
  made.send(2, 0, 8, 0);
  made.receive(0, 2, 8, 0.3, 0, true);
  made.compute(0, 1);
  made.receive(0, 1, 8, 0, 0, true);
  const ReplayResult ideal = on(made.take(), ideal_network());
  EXPECT_NEAR(ideal.ranks[0].end, 1.2, 1e-9);
}

TEST(TraceProgram, a_send_receive_does_not_deadlock_by_rendezvous) {
  MadeTrace made(2);
  for (int rank = 0; rank < 2; ++rank) {
    made.compute(rank, rank == 0 ? 0.5 : 1);
    made.send_receive(rank, 1 - rank, 1 << 20, 1 - rank, 1 << 20, 0.1);
  }
  const ReplayResult ideal = on(made.take(), ideal_network(32768));
  EXPECT_TRUE(ideal.stuck.empty());
  EXPECT_NEAR(ideal.time_s, 1, 1e-9);
}

TEST(TraceProgram, the_rendezvous_limit_of_the_ideal_network_makes_senders_wait) {
  MadeTrace made(2);
  made.send(0, 1, 1 << 20, 1);
  made.compute(1, 1);
  made.receive(1, 0, 1 << 20, 0.1);
  const Trace trace = made.take();
  EXPECT_NEAR(on(trace, ideal_network()).ranks[0].end, 0, 1e-9);
  EXPECT_NEAR(on(trace, ideal_network(32768)).ranks[0].end, 1, 1e-9);
}

TEST(TraceProgram, times_of_events_are_on_the_clock_of_the_trace) {
  const Trace trace = worked_example();
  std::vector<std::vector<std::pair<double, double>>> times;
  ReplayOptions options;
  options.step_times = &times;
  replay(*program_of(trace), ideal_network(), options);
  ASSERT_EQ(times[0].size(), 2U);
  EXPECT_NEAR(times[0][0].first, 1e9, 1);
  EXPECT_NEAR(times[0][1].first, 1.5e9, 1);
  EXPECT_NEAR(times[0][1].second, 2e9, 1);
  EXPECT_NEAR(times[1][0].first, 0.2e9, 1);
  EXPECT_NEAR(times[1][0].second, 1e9, 1);
}

TEST(TraceProgram, messages_without_partner_keep_their_recorded_time) {
  MadeTrace made(2);
  made.receive(0, 1, 8, 0.25);
  made.compute(0, 1);
  const Trace trace = made.take();
  TraceProgramOptions options;
  LeftOut left_out;
  options.left_out = &left_out;
  const ReplayResult ideal = replay(*program_of(trace, options), ideal_network());
  EXPECT_NEAR(ideal.time_s, 1.25, 1e-9);
  EXPECT_EQ(left_out.without_partner, 1U);
}

TEST(TraceProgram, calls_that_move_nothing_keep_their_recorded_time) {
  MadeTrace made(1);
  made.other(0, "MPI_File_write", 0.5);
  made.compute(0, 1);
  const ReplayResult ideal = on(made.take(), ideal_network());
  EXPECT_NEAR(ideal.time_s, 1.5, 1e-9);
  EXPECT_NEAR(ideal.ranks[0].overhead, 0.5, 1e-9);
  EXPECT_NEAR(ideal.ranks[0].compute, 1, 1e-9);
}

TEST(TraceProgram, requests_are_waited_for_where_they_were) {
  MadeTrace made(2);
  std::vector<std::uint32_t> requests;
  for (int tag = 0; tag < 3; ++tag) requests.push_back(made.ireceive(0, 1, 8, 0, tag));
  made.wait(0, {requests[2]}, 0.1, "MPI_Waitany");
  made.compute(0, 1);
  made.wait(0, {requests[0], requests[1]}, 0.1);
  for (int tag = 2; tag >= 0; --tag) {
    made.compute(1, 0.4);
    made.send(1, 0, 8, 0, tag);
  }
  const ReplayResult ideal = on(made.take(), ideal_network());
  EXPECT_NEAR(ideal.ranks[0].end, 1.4, 1e-9);
  EXPECT_NEAR(ideal.ranks[0].waiting, 0.4, 1e-9);
}

TEST(TraceProgram, another_placement_changes_paths_and_memory_sharing) {
  MadeTrace made(2);
  for (int rank = 0; rank < 2; ++rank) made.compute(rank, 1);
  made.send(0, 1, 8, 0);
  made.receive(1, 0, 8, 0);
  const Trace trace = made.take();
  Network network;
  network.between_nodes.latency_s = 0.5;
  network.node_speedup = {1, 1.25};
  EXPECT_NEAR(replay(*program_of(trace), network).time_s, 1, 1e-9);
  // Alone on its node each rank needs 1.25 / 2 of the time.
  EXPECT_NEAR(replay(*program_of(trace, {0, 1}), network).time_s, 0.625 + 0.5, 1e-9);
  EXPECT_NEAR(replay(*program_of(trace, {0, 0}), network).time_s, 1, 1e-9);
}

}  // namespace
}  // namespace plait::replay
