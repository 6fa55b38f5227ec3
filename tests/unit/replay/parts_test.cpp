// SPDX-License-Identifier: BSD-3-Clause
// Tests of replays on several threads and processes: the same bits as on one.
#include "replay/parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "../job_of_threads.hpp"
#include "../random.hpp"
#include "made_program.hpp"
#include "made_trace.hpp"
#include "replay/program.hpp"
#include "replay/replay.hpp"

namespace plait::replay {
namespace {

using trace::MadeTrace;
using trace::Trace;

constexpr int kRanks = 12;

/// Halo exchanges, messages of random pairs and collectives, with random lengths.
Trace random_trace(std::uint64_t seed) {
  test::Random random(seed);
  MadeTrace made(kRanks, 5);
  const std::uint32_t some = made.comm({1, 2, 5, 6, 7, 11});
  const std::uint32_t ring = made.comm({0, 1, 2, 3}, {}, {{3, 1}, {0}, {1, 0}, {2}});
  const auto length = [&] { return random.in(1, 1000) * 1e-6; };
  const auto bytes = [&] { return static_cast<std::uint64_t>(random.coin() ? 100 : 100'000); };
  for (int phase = 0; phase < 60; ++phase) {
    for (int rank = 0; rank < kRanks; ++rank) made.compute(rank, length());
    switch (random.in(0, 5)) {
      case 0: {
        const int stride = random.in(1, kRanks - 1);
        for (int rank = 0; rank < kRanks; ++rank) {
          const int next = (rank + stride) % kRanks, last = (rank + kRanks - stride) % kRanks;
          const std::uint32_t in = made.ireceive(rank, last, 100'000, length());
          const std::uint32_t out = made.isend(rank, next, bytes(), length());
          made.compute(rank, length());
          made.wait(rank, {in, out}, length());
        }
        break;
      }
      case 1: {
        const int from = random.in(0, kRanks - 2), to = random.in(from + 1, kRanks - 1);
        made.send(from, to, bytes(), length(), phase, random.coin() ? "MPI_Send" : "MPI_Ssend");
        made.receive(to, from, 100'000, length(), phase, random.coin());
        break;
      }
      case 2:
        for (int rank = 0; rank < 4; ++rank) {
          made.collective(rank, "MPI_Neighbor_allgather", bytes(), length(), -1, ring);
        }
        break;
      case 3: {
        const int root = random.in(0, 5);
        const char* const function = random.coin()   ? "MPI_Bcast"
                                     : random.coin() ? "MPI_Reduce"
                                                     : "MPI_Scan";
        for (const int rank : {1, 2, 5, 6, 7, 11}) {
          made.collective(rank, function, bytes(), length(), root, some);
        }
        break;
      }
      default:
        for (int rank = 0; rank < kRanks; ++rank) {
          made.collective(rank, "MPI_Allreduce", 8, length());
        }
    }
  }
  return made.take();
}

struct Replayed {
  ReplayResult result;
  std::vector<std::vector<double>> lengths;
  std::vector<std::vector<std::pair<double, double>>> times;
};

Network network_without_cards(bool ideal) {
  Network network = ideal_network(1000, 500);
  if (ideal) return network;
  network.between_nodes.latency_s = 3e-6;
  network.between_nodes.overhead_s = 1e-6;
  network.collectives = Collectives::curve;
  network.collective_curve = {{1, 1e-6}, {1e6, 1e-3}};
  return network;
}

Replayed replayed(const Trace& trace, const Network& network, ReplayOptions options) {
  Replayed of;
  options.step_lengths = &of.lengths;
  options.step_times = &of.times;
  TraceProgramOptions all_threads;
  all_threads.other_threads = true;
  of.result = replay(*program_of(trace, all_threads), network, options);
  return of;
}

void expect_equal(const ReplayResult& a, const ReplayResult& b) {
  EXPECT_EQ(a.time_s, b.time_s);
  EXPECT_EQ(a.events, b.events);
  EXPECT_EQ(a.messages, b.messages);
  EXPECT_EQ(a.stuck, b.stuck);
  ASSERT_EQ(a.ranks.size(), b.ranks.size());
  for (std::size_t rank = 0; rank < a.ranks.size(); ++rank) {
    EXPECT_EQ(a.ranks[rank].end, b.ranks[rank].end) << rank;
    EXPECT_EQ(a.ranks[rank].compute, b.ranks[rank].compute) << rank;
    EXPECT_EQ(a.ranks[rank].waiting, b.ranks[rank].waiting) << rank;
    EXPECT_EQ(a.ranks[rank].overhead, b.ranks[rank].overhead) << rank;
  }
}

ReplayOptions small_parts(unsigned threads, Processes* processes = nullptr) {
  ReplayOptions options;
  options.threads = threads;
  options.processes = processes;
  options.ranks_together = 1;
  return options;
}

TEST(Parts, threads_give_the_same_bits_as_one) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Trace trace = random_trace(seed);
    const Network network = network_without_cards(seed % 2 == 0);
    const Replayed alone = replayed(trace, network, {});
    EXPECT_TRUE(alone.result.stuck.empty());
    for (const unsigned threads : {2U, 3U, 5U, 12U}) {
      const Replayed divided = replayed(trace, network, small_parts(threads));
      expect_equal(alone.result, divided.result);
      EXPECT_EQ(alone.lengths, divided.lengths);
      EXPECT_EQ(alone.times, divided.times);
    }
  }
}

TEST(Parts, processes_give_the_same_bits_as_one) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Trace trace = random_trace(seed);
    const Network network = network_without_cards(seed % 2 == 0);
    const Replayed alone = replayed(trace, network, {});
    for (const int size : {2, 3, 13}) {
      test::JobOfThreads job(size);
      std::vector<Replayed> runs(static_cast<std::size_t>(size));
      std::vector<std::thread> processes;
      for (int rank = 0; rank < size; ++rank) {
        processes.emplace_back([&, rank] {
          test::JobOfThreads::Member member(job, rank);
          runs[static_cast<std::size_t>(rank)] = replayed(trace, network, small_parts(2, &member));
        });
      }
      for (std::thread& process : processes) process.join();
      for (int rank = 0; rank < size; ++rank) {
        const Replayed& of = runs[static_cast<std::size_t>(rank)];
        expect_equal(alone.result, of.result);
        test::JobOfThreads::Member member(job, rank);
        const IndexRange own = ranks_of_process(kRanks, small_parts(2, &member), rank);
        for (std::size_t at = own.first; at < own.last; ++at) {
          EXPECT_EQ(alone.lengths[at], of.lengths[at]) << at;
          EXPECT_EQ(alone.times[at], of.times[at]) << at;
        }
      }
    }
  }
}

TEST(Parts, threads_of_a_rank_stay_together) {
  MadeTrace made(4);
  for (int rank = 0; rank < 4; ++rank) {
    made.compute(rank, 0.1 * rank);
    made.on_thread(rank, 1);
    made.compute(rank, 0.3);
    made.send(rank, (rank + 1) % 4, 8, 0.01, 1);
    made.on_thread(rank, 0);
    made.receive(rank, (rank + 3) % 4, 8, 0.2, 1);
    made.collective(rank, "MPI_Barrier", 0, 0.1);
  }
  const Trace trace = made.take();
  const Replayed alone = replayed(trace, ideal_network(), {});
  EXPECT_EQ(alone.result.other_threads.size(), 4U);
  const Replayed divided = replayed(trace, ideal_network(), small_parts(4));
  expect_equal(alone.result, divided.result);
  EXPECT_EQ(alone.result.other_threads[2].end, divided.result.other_threads[2].end);
  EXPECT_EQ(alone.lengths, divided.lengths);
}

TEST(Parts, ranks_without_a_partner_are_named) {
  MadeProgram program(4);
  program.compute(0, 1);
  program.receive(2, 1);
  program.receive(3, 0);
  test::JobOfThreads job(2);
  std::vector<ReplayResult> results(2);
  std::vector<std::thread> processes;
  for (int rank = 0; rank < 2; ++rank) {
    processes.emplace_back([&, rank] {
      test::JobOfThreads::Member member(job, rank);
      MadeProgram own = program;
      results[static_cast<std::size_t>(rank)] =
          replay(own, ideal_network(), small_parts(1, &member));
    });
  }
  for (std::thread& process : processes) process.join();
  for (const ReplayResult& result : results) {
    EXPECT_EQ(result.stuck, (std::vector<std::uint32_t>{2, 3}));
    EXPECT_EQ(result.time_s, 1);
  }
}

TEST(Parts, parts_that_only_wait_for_each_other_are_given_up) {
  // One message at a time, there and back.
  MadeTrace made(2);
  for (int i = 0; i < 2000; ++i) {
    made.send(0, 1, 8, 1e-6);
    made.receive(1, 0, 8, 1e-6);
    made.send(1, 0, 8, 1e-6);
    made.receive(0, 1, 8, 1e-6);
  }
  const Trace trace = made.take();
  const auto program = program_of(trace);
  EXPECT_FALSE(replay_in_parts(*program, ideal_network(), small_parts(2)));
  const Replayed alone = replayed(trace, ideal_network(), {});
  const Replayed divided = replayed(trace, ideal_network(), small_parts(2));
  expect_equal(alone.result, divided.result);
  EXPECT_EQ(alone.lengths, divided.lengths);
}

TEST(Parts, networks_on_which_messages_meet_are_not_divided) {
  const Trace trace = random_trace(1);
  Network network = network_without_cards(false);
  network.between_nodes.seconds_per_byte = 1e-9;
  const auto program = program_of(trace);
  EXPECT_FALSE(replay_in_parts(*program, network, small_parts(4)));
  EXPECT_TRUE(replay_in_parts(*program, network_without_cards(false), small_parts(4)));
  ReplayOptions few_ranks = small_parts(4);
  few_ranks.ranks_together = kRanksTogether;
  EXPECT_FALSE(replay_in_parts(*program, network_without_cards(false), few_ranks));
}

}  // namespace
}  // namespace plait::replay
