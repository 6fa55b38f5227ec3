// SPDX-License-Identifier: BSD-3-Clause
// Tests of matching with hand-made traces.
#include <gtest/gtest.h>

#include "made_trace.hpp"

namespace plait::trace {
namespace {

/// The receive that matches operation `send` of `rank`; kNone: none.
std::uint32_t receive_of(const Trace& trace, std::uint32_t rank, std::uint32_t send) {
  const std::uint32_t message = trace.ranks[rank].operations[send].message;
  return message == kNone ? kNone : trace.messages[message].receive;
}

void expect_all_matched(const Trace& trace) {
  EXPECT_EQ(trace.unmatched_sends, 0u);
  EXPECT_EQ(trace.unmatched_receives, 0u);
  for (std::uint32_t number = 0; number < trace.messages.size(); ++number) {
    const Message& message = trace.messages[number];
    const Operation& send = trace.ranks[message.sender].operations[message.send];
    const Operation& receive = trace.ranks[message.receiver].operations[message.receive];
    EXPECT_EQ(send.message, number);
    EXPECT_EQ(receive.message, number);
    EXPECT_EQ(send.partner, static_cast<int>(message.receiver));
    EXPECT_EQ(receive.partner, static_cast<int>(message.sender));
    EXPECT_EQ(send.tag, receive.tag);
    EXPECT_EQ(send.bytes, receive.bytes);
  }
}

/// Adds an operation and its event to a rank.
std::uint32_t add(Trace& trace, std::uint32_t rank, Operation operation, const Shape& shape,
                  std::int64_t begin = 0) {
  Rank& of = trace.ranks[rank];
  if (of.streams.size() <= operation.stream) {
    of.streams.resize(operation.stream + 1);
  }
  Stream& stream = of.streams[operation.stream];
  Event event;
  event.begin = begin;
  event.end = begin + 1;
  event.shape = operation.shape = static_cast<std::uint32_t>(trace.shapes.size());
  trace.shapes.push_back(shape);
  operation.started = operation.ended = static_cast<std::uint32_t>(stream.events.size());
  operation.end_stream = operation.stream;
  stream.events.push_back(event);
  of.operations.push_back(operation);
  return static_cast<std::uint32_t>(of.operations.size() - 1);
}

Shape shape_of(EventKind kind, std::uint32_t comm, int peer, int tag, std::uint32_t flags = 0) {
  Shape shape;
  shape.kind = kind;
  shape.comm = comm;
  shape.peer = peer;
  shape.tag = tag;
  shape.flags = flags;
  shape.function = 0;
  return shape;
}

Operation operation_of(OperationKind kind, int tag = 0, std::uint32_t stream = 0) {
  Operation operation;
  operation.kind = kind;
  operation.tag = tag;
  operation.stream = stream;
  return operation;
}

TEST(Match, MessagesOfOnePairAndTagKeepTheirOrderAndTagsPassEachOther) {
  MadeTrace made(2);
  const auto first = made.isend(0, 1, 10, 1e-6, 5);
  const auto second = made.isend(0, 1, 20, 1e-6, 5);
  const auto other = made.isend(0, 1, 30, 1e-6, 6);
  made.wait(0, {first, second, other}, 1e-6);
  const auto takes_other = made.ireceive(1, 0, 100, 1e-6, 6);
  const auto takes_first = made.ireceive(1, 0, 100, 1e-6, 5);
  const auto takes_second = made.ireceive(1, 0, 100, 1e-6, 5);
  made.wait(1, {takes_first, takes_second, takes_other}, 1e-6);
  const Trace trace = made.take();
  ASSERT_EQ(trace.messages.size(), 3u);
  expect_all_matched(trace);
  EXPECT_EQ(receive_of(trace, 0, first), takes_first);
  EXPECT_EQ(receive_of(trace, 0, second), takes_second);
  EXPECT_EQ(receive_of(trace, 0, other), takes_other);
  EXPECT_EQ(trace.ranks[1].operations[takes_second].bytes, 20u);
  EXPECT_EQ(trace.ranks[1].operations[takes_second].capacity, 100u);
}

TEST(Match, WildcardReceivesMatchTheSourceOfTheirStatus) {
  MadeTrace made(3);
  made.send(1, 0, 11, 1e-6, 7);
  made.send(2, 0, 22, 1e-6, 8);
  made.send(1, 0, 33, 1e-6, 7);
  made.receive(0, 2, 64, 1e-6, 8, true);
  made.receive(0, 1, 64, 1e-6, 7, true);
  made.receive(0, 1, 64, 1e-6, 7);
  const Trace trace = made.take();
  expect_all_matched(trace);
  EXPECT_EQ(trace.ranks[0].operations[0].bytes, 22u);
  EXPECT_EQ(trace.ranks[0].operations[1].bytes, 11u);
  EXPECT_EQ(trace.ranks[0].operations[2].bytes, 33u);
}

TEST(Match, SendrecvSendsAndReceivesAndMatchesPlainCallsToo) {
  MadeTrace made(3);
  made.send_receive(0, 1, 8, 2, 100, 1e-6);
  made.send_receive(1, 2, 16, 0, 100, 1e-6);
  made.receive(2, 1, 100, 1e-6);
  made.send(2, 0, 24, 1e-6);
  const Trace trace = made.take();
  EXPECT_EQ(trace.messages.size(), 3u);
  expect_all_matched(trace);
  EXPECT_EQ(trace.ranks[0].operations[1].bytes, 24u);
}

TEST(Match, CallsToProcNullAndCancelledOnesHaveNoPartnerAndAreNotCounted) {
  MadeTrace made(2);
  made.send(0, PLAIT_NULL_PEER, 8, 1e-6);
  made.receive(0, PLAIT_NULL_PEER, 8, 1e-6);
  const auto cancelled = made.ireceive(0, 1, 8, 1e-6);
  made.wait(0, {cancelled}, 1e-6);
  made.receive(0, 1, 8, 1e-6);
  made.send(1, 0, 8, 1e-6);
  Trace trace = made.take();
  trace.ranks[0].operations[cancelled].cancelled = true;
  match(trace);
  EXPECT_EQ(trace.messages.size(), 1u);
  expect_all_matched(trace);
  EXPECT_EQ(receive_of(trace, 1, 0), 3u);
  EXPECT_EQ(trace.ranks[0].operations[0].message, kNone);
}

TEST(Match, OperationsWithoutAPartnerAreCounted) {
  MadeTrace made(2);
  made.send(0, 1, 8, 1e-6);
  made.send(0, 1, 8, 1e-6);
  made.send(0, 1, 8, 1e-6, 9);
  made.receive(1, 0, 8, 1e-6);
  made.receive(1, 0, 8, 1e-6, 4);
  const Trace trace = made.take();
  EXPECT_EQ(trace.messages.size(), 1u);
  EXPECT_EQ(trace.unmatched_sends, 2u);
  EXPECT_EQ(trace.unmatched_receives, 1u);
}

TEST(Match, CommunicatorsSeparateMessagesAndHaveTheirOwnRanks) {
  MadeTrace made(3);
  made.send(2, 0, 1, 1e-6, 3);
  made.receive(0, 2, 8, 1e-6, 3);
  Trace trace = made.take();
  trace.comms.push_back({"reversed", {2, 1, 0}, {}});
  // Posted before, but on another communicator.
  const auto receive =
      add(trace, 0, operation_of(OperationKind::receive, 3), shape_of(EventKind::receive, 1, 0, 3));
  const auto send =
      add(trace, 2, operation_of(OperationKind::send, 3), shape_of(EventKind::send, 1, 2, 3));
  match(trace);
  EXPECT_EQ(trace.messages.size(), 2u);
  expect_all_matched(trace);
  EXPECT_EQ(receive_of(trace, 2, send), receive);
}

TEST(Match, AnIntercommunicatorsPeersAreOfTheOtherGroup) {
  MadeTrace made(4);
  Trace trace = made.take();
  trace.comms.push_back({"inter", {0, 1}, {2, 3}});
  const auto send =
      add(trace, 0, operation_of(OperationKind::send), shape_of(EventKind::send, 1, 1, 0));
  const auto receive =
      add(trace, 3, operation_of(OperationKind::receive), shape_of(EventKind::receive, 1, 0, 0));
  const auto back =
      add(trace, 3, operation_of(OperationKind::send), shape_of(EventKind::send, 1, 1, 0));
  const auto takes_back =
      add(trace, 1, operation_of(OperationKind::receive), shape_of(EventKind::receive, 1, 1, 0));
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    add(trace, rank, operation_of(OperationKind::collective),
        shape_of(EventKind::collective, 1, static_cast<int>(rank), PLAIT_ANY_TAG));
  }
  match(trace);
  expect_all_matched(trace);
  EXPECT_EQ(receive_of(trace, 0, send), receive);
  EXPECT_EQ(receive_of(trace, 3, back), takes_back);
  ASSERT_EQ(trace.collectives.size(), 1u);
  EXPECT_TRUE(trace.collectives[0].consistent);
  EXPECT_EQ(trace.members, (std::vector<std::uint32_t>{1, 1, 0, 2}));
}

TEST(Match, PartitionedMessagesMatchPartitionedOnesOnly) {
  MadeTrace made(2);
  Trace trace = made.take();
  const auto plain =
      add(trace, 0, operation_of(OperationKind::send), shape_of(EventKind::send, 0, 1, 0));
  const auto parts = add(trace, 0, operation_of(OperationKind::send),
                         shape_of(EventKind::start, 0, 1, 0, PLAIT_SHAPE_PARTITIONED));
  const auto takes_parts = add(trace, 1, operation_of(OperationKind::receive),
                               shape_of(EventKind::start, 0, 0, 0, PLAIT_SHAPE_PARTITIONED));
  const auto takes_plain =
      add(trace, 1, operation_of(OperationKind::receive), shape_of(EventKind::receive, 0, 0, 0));
  match(trace);
  EXPECT_EQ(receive_of(trace, 0, plain), takes_plain);
  EXPECT_EQ(receive_of(trace, 0, parts), takes_parts);
}

TEST(Match, TheThreadsOfARankPostInTheOrderOfTheirTimes) {
  MadeTrace made(2);
  Trace trace = made.take();
  const auto send_shape = shape_of(EventKind::send, 0, 1, 0);
  const auto late = add(trace, 0, operation_of(OperationKind::send), send_shape, 50);
  const auto early = add(trace, 0, operation_of(OperationKind::send, 0, 1), send_shape, 10);
  const auto receive_shape = shape_of(EventKind::receive, 0, 0, 0);
  const auto first = add(trace, 1, operation_of(OperationKind::receive), receive_shape, 20);
  const auto second = add(trace, 1, operation_of(OperationKind::receive), receive_shape, 60);
  match(trace);
  EXPECT_EQ(receive_of(trace, 0, early), first);
  EXPECT_EQ(receive_of(trace, 0, late), second);
}

TEST(Match, AMatchedProbeKeepsThePositionOfItsMessage) {
  MadeTrace made(2);
  const auto first = made.isend(0, 1, 10, 1e-6);
  const auto second = made.isend(0, 1, 20, 1e-6);
  made.wait(0, {first, second}, 1e-6);
  Trace trace = made.take();
  // Mprobe starts the operation that Mrecv ends, after a receive that was posted in between.
  const auto probed =
      add(trace, 1, operation_of(OperationKind::receive), shape_of(EventKind::probe, 0, 0, 0));
  const auto between = add(trace, 1, operation_of(OperationKind::receive),
                           shape_of(EventKind::receive, 0, 0, 0), 10);
  match(trace);
  EXPECT_EQ(receive_of(trace, 0, first), probed);
  EXPECT_EQ(receive_of(trace, 0, second), between);
}

TEST(Match, CollectivesMatchByTheirOrderOnEachCommunicator) {
  MadeTrace made(3);
  const auto pair = made.comm({2, 0});
  for (const int rank : {0, 1, 2}) {
    made.collective(rank, "MPI_Barrier", 0, 1e-6);
  }
  made.collective(0, "MPI_Bcast", 8, 1e-6, 1, pair);
  made.collective(2, "MPI_Bcast", 8, 1e-6, 1, pair);
  for (const int rank : {0, 1, 2}) {
    made.collective(rank, "MPI_Allreduce", 8, 1e-6);
  }
  const Trace trace = made.take();
  ASSERT_EQ(trace.collectives.size(), 3u);
  for (const Collective& collective : trace.collectives) {
    EXPECT_TRUE(collective.consistent);
    EXPECT_NE(collective.shape, kNone);
  }
  const Collective& bcast = trace.collectives[2];
  EXPECT_EQ(bcast.comm, pair);
  EXPECT_EQ(trace.members[bcast.first_member], 1u);  // rank 2's second operation
  EXPECT_EQ(trace.members[bcast.first_member + 1], 1u);
  EXPECT_EQ(trace.ranks[1].operations[1].message, 1u);
  EXPECT_EQ(trace.collectives[1].ordinal, 1u);
}

TEST(Match, CollectivesThatDifferOrMissAMemberAreMarked) {
  MadeTrace made(2);
  made.collective(0, "MPI_Bcast", 8, 1e-6, 0);
  made.collective(1, "MPI_Bcast", 8, 1e-6, 1);
  made.collective(0, "MPI_Barrier", 0, 1e-6);
  made.collective(1, "MPI_Allreduce", 0, 1e-6);
  made.collective(0, "MPI_Barrier", 0, 1e-6);
  const Trace trace = made.take();
  ASSERT_EQ(trace.collectives.size(), 3u);
  EXPECT_FALSE(trace.collectives[0].consistent);
  EXPECT_FALSE(trace.collectives[1].consistent);
  EXPECT_TRUE(trace.collectives[2].consistent);
  EXPECT_EQ(trace.members[trace.collectives[2].first_member + 1], kNone);
}

TEST(Match, ARingsMessagesAndCollectivesAreCountedFromTheEnd) {
  MadeTrace made(2);
  for (int i = 0; i < 5; ++i) {  // rank 1 has lost the first two receives and collectives
    made.send(0, 1, static_cast<std::uint64_t>(i), 1e-6);
    made.collective(0, "MPI_Barrier", 0, 1e-6);
    if (i >= 2) {
      made.compute(1, 3e-6);
      made.receive(1, 0, 100, 1e-6);
      made.collective(1, "MPI_Barrier", 0, 1e-6);
    }
  }
  Trace trace = made.take();
  trace.ranks[1].overwritten_events = 4;
  match(trace);
  EXPECT_EQ(trace.messages.size(), 3u);
  EXPECT_EQ(trace.unmatched_sends, 2u);
  EXPECT_EQ(trace.ranks[1].operations[0].bytes, 2u);
  EXPECT_EQ(trace.ranks[1].operations[4].bytes, 4u);
  ASSERT_EQ(trace.collectives.size(), 5u);
  EXPECT_EQ(trace.ranks[1].operations[1].message, 2u);
}

TEST(Match, OperationsInProgressWhenARingWasKilledDoNotMatchEarlierOnes) {
  MadeTrace made(2);
  made.send(0, 1, 1, 1e-6);
  made.receive(1, 0, 100, 2e-6);
  made.compute(0, 1e-3);
  made.send(0, 1, 2, 1e-6);
  made.compute(1, 1e-3);
  made.ireceive(1, 0, 100, 1e-6);
  made.ireceive(1, 0, 100, 1e-6);
  Trace trace = made.take();
  trace.ranks[0].overwritten_events = 1;
  trace.ranks[1].complete = false;
  match(trace);
  ASSERT_EQ(trace.messages.size(), 1u);
  EXPECT_EQ(trace.messages[0].send, 0u);
  EXPECT_EQ(trace.messages[0].receive, 0u);
}

TEST(Match, EventsOfAllThreadsAreCounted) {
  MadeTrace made(2);
  made.other(0, "MPI_Comm_rank", 1e-7);
  made.poll(1, 1e-7);
  made.region(1, "step", 0);
  EXPECT_EQ(event_count(made.take()), 3u);
}

TEST(Match, CollectivesOfAFewTracedRanksAreMatched) {
  MadeTrace made(3000);
  for (int call = 0; call < 40; ++call) {
    for (const int rank : {0, 1}) made.collective(rank, "MPI_Barrier", 0, 1e-6);
  }
  Trace trace = made.take();
  EXPECT_TRUE(trace.collectives.empty()) << "as if almost all ranks had been lost";
  for (std::size_t rank = 2; rank < trace.ranks.size(); ++rank) trace.ranks[rank].left_out = true;
  trace.left_out = 2998;
  match(trace);
  EXPECT_EQ(trace.collectives.size(), 40U);
}

}  // namespace
}  // namespace plait::trace
