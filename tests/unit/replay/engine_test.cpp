// SPDX-License-Identifier: BSD-3-Clause
// Tests of the engine with times computed by hand: LogGOPS, rendezvous, progress, cards, memory.
#include <gtest/gtest.h>

#include "made_program.hpp"
#include "plait/error.hpp"
#include "replay/replay.hpp"

namespace plait::replay {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

/// L = 10 us, 1 GB/s, everywhere.
Network plain_network() {
  Network network;
  network.name = "plain";
  network.within_node.latency_s = network.between_nodes.latency_s = 10e-6;
  network.within_node.seconds_per_byte = network.between_nodes.seconds_per_byte = 1e-9;
  network.progress = Progress::hardware;
  return network;
}

TEST(Engine, a_message_takes_latency_and_bytes_over_bandwidth) {
  MadeProgram program(2, 1);
  program.send(0, 1, 1'000'000);
  program.receive(1, 0);
  const ReplayResult result = replay(program, plain_network());
  EXPECT_DOUBLE_EQ(result.ranks[0].end, 0);  // eager: the sender does not wait
  EXPECT_DOUBLE_EQ(result.ranks[1].end, 1.01e-3);
  EXPECT_DOUBLE_EQ(result.ranks[1].waiting, 1.01e-3);
  EXPECT_EQ(result.messages, 1U);
  EXPECT_TRUE(result.stuck.empty());
}

TEST(Engine, overheads_keep_both_sides_busy) {
  Network network = plain_network();
  network.between_nodes.overhead_s = 1e-6;
  network.between_nodes.overhead_per_byte_s = 1e-9;
  MadeProgram program(2, 1);
  program.send(0, 1, 1000);
  program.receive(1, 0);
  const ReplayResult result = replay(program, network);
  EXPECT_DOUBLE_EQ(result.ranks[0].end, 2e-6);
  EXPECT_DOUBLE_EQ(result.ranks[0].overhead, 2e-6);
  EXPECT_DOUBLE_EQ(result.ranks[1].end, 2e-6 + 11e-6 + 2e-6);
  EXPECT_DOUBLE_EQ(result.ranks[1].overhead, 2e-6);
}

TEST(Engine, the_gap_separates_messages_of_a_card) {
  Network network = plain_network();
  network.between_nodes.seconds_per_byte = 0;
  network.between_nodes.gap_s = 5e-6;
  MadeProgram program(2, 1);
  for (std::uint32_t tag = 0; tag < 3; ++tag) program.send(0, 1, 8, tag);
  for (std::uint32_t tag = 0; tag < 3; ++tag) program.receive(1, 0, tag);
  EXPECT_DOUBLE_EQ(replay(program, network).time_s, 20e-6);
}

TEST(Engine, messages_do_not_overtake_and_match_by_tag) {
  MadeProgram program(2, 1);
  program.send(0, 1, 8, 7);
  program.compute(0, 1);
  program.send(0, 1, 8, 7);
  program.compute(0, 1);
  program.send(0, 1, 8, 3);
  program.receive(1, 0, 7);
  program.receive(1, 0, 3);
  program.receive(1, 0, 7);
  const ReplayResult result = replay(program, ideal_network());
  EXPECT_DOUBLE_EQ(result.ranks[1].end, 2);
  EXPECT_DOUBLE_EQ(result.ranks[1].waiting, 2);
}

TEST(Engine, a_rendezvous_waits_for_its_receive) {
  Network network = plain_network();
  network.between_nodes.eager_limit = 1000;
  MadeProgram program(2, 1);
  program.send(0, 1, 1001);
  program.compute(1, 1e-3);
  program.receive(1, 0);
  const ReplayResult result = replay(program, network);
  // The answer comes back (L), then the data leave (1.001 us).
  EXPECT_DOUBLE_EQ(result.ranks[0].end, 1e-3 + 10e-6 + 1.001e-6);
  EXPECT_DOUBLE_EQ(result.ranks[1].end, 1e-3 + 20e-6 + 1.001e-6);
}

TEST(Engine, a_synchronous_send_waits_at_any_size_and_a_buffered_one_at_none) {
  MadeProgram program(2, 1);
  program.send(0, 1, 8);
  program.last(0).synchronous = true;
  program.compute(1, 1);
  program.receive(1, 0);
  EXPECT_DOUBLE_EQ(replay(program, ideal_network()).ranks[0].end, 1);
  MadeProgram buffered(2, 1);
  buffered.send(0, 1, kMiB);
  buffered.last(0).buffered = true;
  buffered.compute(1, 1);
  buffered.receive(1, 0);
  EXPECT_DOUBLE_EQ(replay(buffered, ideal_network(1000)).ranks[0].end, 0);
}

/// Both sides compute between the start of a long message and its wait at 1 s. The receive is
/// posted after the sender has left its call.
MadeProgram overlapping() {
  MadeProgram program(2, 1);
  program.isend(0, 1, kMiB, 0);
  program.compute(0, 0.25);
  program.compute(1, 0.25);
  program.ireceive(1, 0, 0);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    program.compute(rank, 0.75);
    program.wait(rank, 0);
  }
  return program;
}

TEST(Engine, a_long_message_overlaps_computation_only_with_progress) {
  Network network = plain_network();
  network.between_nodes.eager_limit = 1000;
  network.between_nodes.handshake = false;
  MadeProgram program = overlapping();
  EXPECT_DOUBLE_EQ(replay(program, network).time_s, 1);
  network.progress = Progress::in_call;
  EXPECT_NEAR(replay(program, network).ranks[1].end, 1 + 10e-6 + 1e-9 * kMiB, 1e-12);
}

TEST(Engine, a_call_during_computation_lets_a_long_message_progress) {
  Network network = plain_network();
  network.between_nodes.eager_limit = 1000;
  network.progress = Progress::in_call;
  MadeProgram program(2, 1);
  program.isend(0, 1, kMiB, 0);
  program.compute(0, 0.25);
  program.wait(0, 0);
  program.compute(1, 0.1);
  program.ireceive(1, 0, 0);
  program.compute(1, 0.4);
  program.call(1, 0);  // a failed MPI_Test at 0.5
  program.compute(1, 0.5);
  program.wait(1, 0);
  const ReplayResult result = replay(program, network);
  EXPECT_NEAR(result.ranks[0].end, 0.5 + 1e-9 * kMiB, 1e-9);
  EXPECT_NEAR(result.ranks[1].end, 1, 1e-9);
}

TEST(Engine, ranks_of_a_node_share_its_card_one_after_the_other_or_equally) {
  MadeProgram program(4, 2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    program.send(rank, rank + 2, 1'000'000);
    program.receive(rank + 2, rank);
  }
  Network network = plain_network();
  ReplayResult fifo = replay(program, network);
  EXPECT_NEAR(fifo.ranks[2].end, 1.01e-3, 1e-12);
  EXPECT_NEAR(fifo.ranks[3].end, 2.01e-3, 1e-12);
  network.sharing = Sharing::fair;
  ReplayResult fair = replay(program, network);
  EXPECT_NEAR(fair.ranks[2].end, 2.01e-3, 1e-12);
  EXPECT_NEAR(fair.ranks[3].end, 2.01e-3, 1e-12);
  network.shared_cards = false;
  EXPECT_NEAR(replay(program, network).time_s, 1.01e-3, 1e-12);
}

TEST(Engine, a_fair_card_gives_freed_bandwidth_to_the_remaining_messages) {
  MadeProgram program(4, 2);
  program.send(0, 2, 1'000'000);
  program.receive(2, 0);
  program.compute(1, 0.5e-3);
  program.send(1, 3, 1'000'000);
  program.receive(3, 1);
  Network network = plain_network();
  network.sharing = Sharing::fair;
  const ReplayResult result = replay(program, network);
  // Alone for 0.5 ms, at half speed for 1 ms; then the other one has 0.5 ms left.
  EXPECT_NEAR(result.ranks[2].end, 1.5e-3 + 10e-6, 1e-12);
  EXPECT_NEAR(result.ranks[3].end, 2e-3 + 10e-6, 1e-12);
}

TEST(Engine, a_receiving_card_is_shared_too) {
  MadeProgram program(3, 1);
  program.send(0, 2, 1'000'000);
  program.send(1, 2, 1'000'000);
  program.receive(2, 0);
  program.receive(2, 1);
  EXPECT_NEAR(replay(program, plain_network()).time_s, 2.01e-3, 1e-12);
}

TEST(Engine, computing_ranks_saturate_their_node) {
  MadeProgram program(3, 3);
  program.compute_alone = true;
  program.compute(0, 1);
  program.compute(1, 1);
  program.compute(2, 2);
  Network network = ideal_network();
  network.node_speedup = {1, 1.5};  // three are as fast as two
  const ReplayResult result = replay(program, network);
  // Three at speed 0.5 until 2 s; then one alone has 1 s left.
  EXPECT_NEAR(result.ranks[0].end, 2, 1e-12);
  EXPECT_NEAR(result.ranks[1].end, 2, 1e-12);
  EXPECT_NEAR(result.ranks[2].end, 3, 1e-12);
  EXPECT_NEAR(result.ranks[2].compute, 3, 1e-12);
}

TEST(Engine, ranks_whose_partner_never_arrives_are_stuck) {
  MadeProgram program(3);
  program.receive(0, 1, 5);
  program.send(1, 0, 8, 6);
  program.compute(2, 1);
  const ReplayResult result = replay(program, ideal_network());
  EXPECT_EQ(result.stuck, (std::vector<std::uint32_t>{0}));
  EXPECT_DOUBLE_EQ(result.ranks[2].end, 1);
}

TEST(Engine, an_unknown_path_is_an_error_if_it_is_needed) {
  Network network = plain_network();
  network.between_nodes.known = false;
  MadeProgram one_node(2);
  EXPECT_NO_THROW(replay(one_node, network));
  MadeProgram two_nodes(2, 1);
  EXPECT_THROW(replay(two_nodes, network), Error);
}

TEST(Engine, a_message_to_oneself_arrives) {
  MadeProgram program(1);
  program.ireceive(0, 0, 0);
  program.send(0, 0, 1'000'000);
  program.wait(0, 0);
  EXPECT_NEAR(replay(program, plain_network()).time_s, 1.01e-3, 1e-12);
}

TEST(Engine, two_replays_are_equal) {
  MadeProgram program = overlapping();
  Network network = plain_network();
  network.progress = Progress::in_call;
  const ReplayResult first = replay(program, network);
  const ReplayResult second = replay(program, network);
  EXPECT_EQ(first.time_s, second.time_s);
  EXPECT_EQ(first.events, second.events);
}

}  // namespace
}  // namespace plait::replay
