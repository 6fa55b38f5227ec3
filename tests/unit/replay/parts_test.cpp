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
#include "../trace_part.hpp"
#include "made_program.hpp"
#include "made_trace.hpp"
#include "plait/error.hpp"
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

TraceProgramOptions with_threads(bool others) {
  TraceProgramOptions options;
  options.other_threads = others;
  return options;
}

Replayed replayed(const Trace& trace, const Network& network, ReplayOptions options,
                  const TraceProgramOptions& of_trace = with_threads(true)) {
  Replayed of;
  options.step_lengths = &of.lengths;
  options.step_times = &of.times;
  of.result = replay(*program_of(trace, of_trace), network, options);
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

/// Messages and collectives of many ranks: also of threads other than the main ones, within OpenMP
/// regions and outside, and collectives in which not all members take part.
Trace trace_of_many(std::uint64_t seed) {
  constexpr int kMany = 200;
  test::Random random(seed);
  MadeTrace made(kMany, 16);
  std::vector<int> few, reversed;
  for (int rank = 0; rank < kMany; rank += 1 + random.in(0, 6)) few.push_back(rank);
  for (int rank = kMany - 1; rank >= 0; --rank) reversed.push_back(rank);
  const std::uint32_t some = made.comm(few), back = made.comm(reversed);
  const std::uint32_t of_threads = made.comm(reversed);
  const auto length = [&] { return random.in(1, 1000) * 1e-6; };
  const auto bytes = [&] { return static_cast<std::uint64_t>(random.coin() ? 100 : 100'000); };
  const auto function = [&] {
    return random.coin() ? "MPI_Bcast" : random.coin() ? "MPI_Reduce" : "MPI_Scan";
  };
  const auto root_of = [&](const std::vector<int>& members) {
    return random.in(0, static_cast<int>(members.size()) - 1);
  };
  const auto on_thread = [&](int rank, int stream) {
    const double now = made.now(rank);
    made.on_thread(rank, static_cast<std::uint32_t>(stream));
    made.compute(rank, std::max(0.0, now - made.now(rank)));
  };
  // Calls `work` on another thread, while the main one computes.
  const auto elsewhere = [&](int rank, int stream, const auto& work) {
    on_thread(rank, stream);
    work();
    on_thread(rank, 0);
  };
  for (int step = 0; step < 40; ++step) {
    for (int rank = 0; rank < kMany; ++rank) {
      const int next = (rank + 1) % kMany, last = (rank + kMany - 1) % kMany;
      made.compute(rank, length());
      const std::uint32_t in = made.ireceive(rank, last, 100'000, length());
      const std::uint32_t out = made.isend(rank, next, bytes(), length());
      made.compute(rank, length());
      made.wait(rank, {in, out}, length());
    }
    for (int i = 0; i < 10; ++i) {
      const int from = random.in(0, kMany - 2), to = random.in(from + 1, kMany - 1);
      const int tag = 1000 + 10 * step + i;
      const auto send = [&] {
        made.send(from, to, bytes(), length(), tag, random.coin() ? "MPI_Send" : "MPI_Ssend");
      };
      const auto receive = [&] { made.receive(to, from, 100'000, length(), tag, random.coin()); };
      random.coin() ? send() : elsewhere(from, random.in(1, 3), send);
      random.coin() ? receive() : elsewhere(to, random.in(1, 3), receive);
    }
    const int worker = random.in(0, kMany - 2);
    const double begin = made.now(worker);
    elsewhere(worker, 3, [&] {
      const double at = made.now(worker);
      made.compute(worker, length());
      made.send(worker, kMany - 1, 8, length(), 1 + step);
      made.openmp(worker, trace::EventKind::work, at);
    });
    made.compute(worker, 0.01);
    made.openmp(worker, trace::EventKind::work, begin);
    made.openmp(worker, trace::EventKind::parallel, begin);
    made.receive(kMany - 1, worker, 8, length(), 1 + step);
    const char* const call = function();
    switch (random.in(0, 3)) {
      case 0: {
        const int root = root_of(few);
        for (const int rank : few) made.collective(rank, call, bytes(), length(), root, some);
        break;
      }
      case 1: {
        const int root = root_of(reversed);
        for (const int rank : reversed) made.collective(rank, call, 100, length(), root, back);
        break;
      }
      case 2: {
        const std::uint32_t incomplete = made.comm(few);
        const int root = root_of(few), leaves_out = random.coin() ? few[3] : few.back();
        for (const int rank : few) {
          if (rank == leaves_out) continue;
          made.collective(rank, call, bytes(), length(), root, incomplete);
        }
        break;
      }
      default: {
        const int root = root_of(reversed);
        for (const int rank : reversed) {
          const auto work = [&] {
            made.collective(rank, call, bytes(), length(), root, of_threads);
          };
          rank % 50 == 7 ? elsewhere(rank, 1, work) : work();
        }
        break;
      }
    }
    for (int rank = 0; rank < kMany; ++rank) made.collective(rank, "MPI_Allreduce", 8, length());
  }
  made.send(3, 150, 8, 1e-6, 7777);  // without a receive
  return made.take();
}

void expect_equal(const LeftOut& a, const LeftOut& b) {
  EXPECT_EQ(a.without_partner, b.without_partner);
  EXPECT_EQ(a.other_threads, b.other_threads);
  EXPECT_EQ(a.as_recorded, b.as_recorded);
}

TEST(Parts, parts_of_a_trace_give_the_same_bits_as_the_whole) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Trace trace = trace_of_many(seed);
    const Network network = network_without_cards(seed % 2 == 0);
    for (const bool other_threads : {false, true}) {
      TraceProgramOptions of_whole = with_threads(other_threads);
      LeftOut left_out_alone;
      of_whole.left_out = &left_out_alone;
      const Replayed alone = replayed(trace, network, {}, of_whole);
      EXPECT_TRUE(alone.result.stuck.empty());
      EXPECT_GT(left_out_alone.without_partner, 0U);
      EXPECT_EQ(left_out_alone.other_threads == 0, other_threads);
      for (const int size : {2, 3, 6}) {
        test::JobOfThreads(size).run([&](Processes& processes) {
          const Trace part = part_of(trace, processes);
          TraceProgramOptions of_part = with_threads(other_threads);
          LeftOut left_out;
          of_part.left_out = &left_out;
          of_part.processes = &processes;
          ReplayOptions options;
          options.threads = 2;
          options.processes = &processes;
          const Replayed of = replayed(part, network, options, of_part);
          expect_equal(alone.result, of.result);
          expect_equal(left_out_alone, left_out);
          ASSERT_EQ(alone.lengths.size(), of.lengths.size());
          const auto program = program_of(trace, with_threads(other_threads));
          const IndexRange own = part.own_ranks();
          for (std::uint32_t thread = 0; thread < of.lengths.size(); ++thread) {
            const std::uint32_t rank = program->rank_of(thread);
            if (rank < own.first || rank >= own.last) continue;
            EXPECT_EQ(alone.lengths[thread], of.lengths[thread]) << thread;
            EXPECT_EQ(alone.times[thread], of.times[thread]) << thread;
          }
        });
      }
    }
  }
}

TEST(Parts, parts_of_a_trace_are_never_given_up) {
  MadeTrace made(130);
  for (int i = 0; i < 2000; ++i) {
    made.send(0, 129, 8, 1e-6);
    made.receive(129, 0, 8, 1e-6);
    made.send(129, 0, 8, 1e-6);
    made.receive(0, 129, 8, 1e-6);
  }
  const Trace trace = made.take();
  const Replayed alone = replayed(trace, ideal_network(), {});
  test::JobOfThreads(2).run([&](Processes& processes) {
    const Trace part = part_of(trace, processes);
    TraceProgramOptions of_part = with_threads(true);
    of_part.processes = &processes;
    ReplayOptions options;
    options.processes = &processes;
    expect_equal(alone.result, replay(*program_of(part, of_part), ideal_network(), options));
    Network network = network_without_cards(false);
    network.between_nodes.seconds_per_byte = 1e-9;
    EXPECT_THROW(replay(*program_of(part, of_part), network, options), Error);
    EXPECT_THROW(replay(*program_of(part, of_part), ideal_network()), Error);
  });
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
