// SPDX-License-Identifier: BSD-3-Clause
// Tests of reading raw event files: every kind of event, threads, clocks, definitions.
#include <gtest/gtest.h>

#include "synthetic_events.hpp"
#include "trace/trace.hpp"

namespace plait::trace {
namespace {

using test::RunFolder;
using test::SyntheticEvents;

constexpr std::uint32_t kBytes = PLAIT_SHAPE_BYTES, kWide = PLAIT_SHAPE_WIDE;

class ReadEvents : public testing::Test {
protected:
  Trace read(std::initializer_list<SyntheticEvents*> processes) {
    for (SyntheticEvents* process : processes) {
      process->write(run_.path());
    }
    return read_trace(run_.path());
  }

  RunFolder run_{"read-events"};
};

TEST_F(ReadEvents, TimesAreGapsAndDurationsSinceTheStartOfTheChunk) {
  SyntheticEvents process;
  const auto call = process.shape(PLAIT_EVENT_OTHER, -1, -1, 0, "MPI_Comm_rank");
  process.chunk(0, 3000);
  process.event(call, 200, 40);
  process.event(call, PLAIT_LONG, PLAIT_LONG, {0, 2, 6, 4});
  process.chunk(0, 100'000'000'000);
  process.event(call, 2, 2);
  const Trace trace = read({&process});
  EXPECT_TRUE(trace.problems.empty());
  ASSERT_EQ(trace.ranks.size(), 1u);
  const Rank& rank = trace.ranks[0];
  EXPECT_EQ(rank.host, "alpha");
  EXPECT_EQ(rank.begin, 0);  // the end of Init, tick 2000
  EXPECT_DOUBLE_EQ(rank.overhead_ns_per_event, 12.5);
  ASSERT_EQ(rank.streams.size(), 1u);
  EXPECT_EQ(rank.streams[0].tid, 500);
  const auto& events = rank.streams[0].events;
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].begin, 600);
  EXPECT_EQ(events[0].end, 620);
  EXPECT_EQ(events[1].begin, 620 + (std::int64_t{2} << 31));
  EXPECT_EQ(events[1].end - events[1].begin, (std::int64_t{4} << 31) + 3);
  EXPECT_EQ(events[2].begin, 49'999'999'001);
  EXPECT_EQ(rank.end, events[2].end);
  EXPECT_EQ(trace.functions[trace.shape(events[0]).function], "MPI_Comm_rank");
  EXPECT_EQ(event_count(trace), 3u);
}

TEST_F(ReadEvents, WaitingForACpuBelongsToTheCallThatFollows) {
  SyntheticEvents process;
  const auto call = process.shape(PLAIT_EVENT_OTHER, -1, -1, 0, "MPI_Comm_rank");
  const auto wait = process.shape(PLAIT_EVENT_CPU_WAIT);
  process.chunk(0, 3000);
  process.event(wait, 2000, 0, {1000, 0, 40, 1});
  process.event(call, 0, 400);
  const Trace trace = read({&process});
  EXPECT_TRUE(trace.problems.empty());
  const Stream& stream = trace.ranks.at(0).streams.at(0);
  ASSERT_EQ(stream.events.size(), 1u) << "it is not an event of its own";
  ASSERT_EQ(stream.cpu_waits.size(), 1u);
  EXPECT_EQ(stream.cpu_waits[0].at, stream.events[0].begin);
  EXPECT_EQ(stream.cpu_waits[0].before_ns, 500);
  EXPECT_EQ(stream.cpu_waits[0].inside_ns, (std::int64_t{1} << 31) + 20);
}

TEST_F(ReadEvents, BytesApplyUntilTheyChangeWithinTheChunk) {
  SyntheticEvents process(0, 2);
  const auto to_one = process.shape(PLAIT_EVENT_SEND, 1, 3);
  const auto to_two = process.shape(PLAIT_EVENT_SEND, 1, 4);
  process.chunk();
  process.event(to_one | kBytes, 1, 1, {8});
  process.event(to_two, 1, 1);
  process.event(to_one, 1, 1);
  process.event(to_one | kBytes | kWide, 1, 1, {1, 3});
  process.chunk();
  process.event(to_one, 1, 1);
  const Trace trace = read({&process});
  const auto& operations = trace.ranks[0].operations;
  ASSERT_EQ(operations.size(), 5u);
  EXPECT_EQ(operations[0].bytes, 8u);
  EXPECT_EQ(operations[1].bytes, 0u);
  EXPECT_EQ(operations[2].bytes, 8u);
  EXPECT_EQ(operations[3].bytes, (std::uint64_t{3} << 32) + 1);
  EXPECT_EQ(operations[4].bytes, 0u);
  EXPECT_EQ(operations[0].partner, 1);
  EXPECT_EQ(operations[1].tag, 4);
  EXPECT_EQ(trace.unmatched_sends, 5u);
}

TEST_F(ReadEvents, EpochsOfWindowsHaveThePartnersOfTheirGroups) {
  SyntheticEvents process;
  const auto call = process.shape(PLAIT_EVENT_OTHER);
  const auto post = process.shape(PLAIT_EVENT_EPOCH, -1, -1, 0, "MPI_Win_post");
  const auto wait = process.shape(PLAIT_EVENT_EPOCH, -1, -1, 0, "MPI_Win_wait");
  process.chunk(0, 3000);
  process.event(call, 10, 10);
  process.event(post, 10, 10, {2, 0, static_cast<std::uint32_t>(-1)});
  process.event(wait, 10, 10, {0});
  const Trace trace = read({&process});
  EXPECT_TRUE(trace.problems.empty());
  const std::vector<EpochCall>& epochs = trace.ranks[0].epochs;
  ASSERT_EQ(epochs.size(), 2u);
  EXPECT_EQ(epochs[0].event, 1u);
  EXPECT_EQ(epochs[0].partners, (std::vector<int>{0, -1}));
  EXPECT_EQ(epochs[1].event, 2u);
  EXPECT_TRUE(epochs[1].partners.empty());
  EXPECT_EQ(trace.shape(trace.ranks[0].streams[0].events[1]).kind, EventKind::one_sided);
}

TEST_F(ReadEvents, LocksOfWindowsAreEpochsWithATarget) {
  SyntheticEvents process;
  const auto lock = process.shape(PLAIT_EVENT_EPOCH, 3, -1, PLAIT_SHAPE_EXCLUSIVE, "MPI_Win_lock");
  process.chunk(0, 3000);
  process.event(lock, 10, 10, {0});
  const Trace trace = read({&process});
  EXPECT_TRUE(trace.problems.empty());
  ASSERT_EQ(trace.ranks[0].epochs.size(), 1u);
  const Shape& shape = trace.shape(trace.ranks[0].streams[0].events[0]);
  EXPECT_EQ(shape.kind, EventKind::one_sided);
  EXPECT_EQ(shape.peer, 3);
  EXPECT_EQ(shape.flags, static_cast<std::uint32_t>(PLAIT_SHAPE_EXCLUSIVE));
}

TEST_F(ReadEvents, MessagesOfTwoProcessesMatch) {
  SyntheticEvents sender(0, 2), receiver(1, 2);
  const auto send = sender.shape(PLAIT_EVENT_SEND, 1, 3);
  const auto varies = sender.shape(PLAIT_EVENT_SEND, 1, 0, PLAIT_SHAPE_VARIES);
  sender.chunk();
  sender.event(send | kBytes, 1, 1, {8});
  sender.event(varies | kBytes, 1, 1, {16, 9});
  const auto any = receiver.shape(PLAIT_EVENT_RECV, PLAIT_ANY_PEER, -1, PLAIT_SHAPE_WILDCARD);
  const auto receive = receiver.shape(PLAIT_EVENT_IRECV, 0, 3);
  const auto wait = receiver.shape(PLAIT_EVENT_COMPLETE);
  receiver.chunk();
  receiver.event(receive | kBytes, 1, 1, {100});
  receiver.event(any | kBytes, 1, 1, {16, 0, 9});
  receiver.event(wait, 1, 1, {1, 1});
  const Trace trace = read({&sender, &receiver});
  EXPECT_TRUE(trace.problems.empty());
  EXPECT_EQ(trace.comms.size(), 1u);
  EXPECT_EQ(trace.unmatched_sends + trace.unmatched_receives, 0u);
  ASSERT_EQ(trace.messages.size(), 2u);
  const Operation& posted = trace.ranks[1].operations[0];
  EXPECT_EQ(posted.bytes, 8u);
  EXPECT_EQ(posted.capacity, 100u);
  EXPECT_EQ(posted.started, 0u);
  EXPECT_EQ(posted.ended, 2u);
  EXPECT_TRUE(trace.ranks[1].operations[1].wildcard);
  EXPECT_EQ(trace.ranks[1].operations[1].bytes, 16u);
}

TEST_F(ReadEvents, CompletionsNameTheRequestsThatTheyEnd) {
  SyntheticEvents process(0, 2);
  const auto any = process.shape(PLAIT_EVENT_IRECV, PLAIT_ANY_PEER, -1, PLAIT_SHAPE_WILDCARD);
  const auto send = process.shape(PLAIT_EVENT_ISEND, 1, 5);
  const auto test = process.shape(PLAIT_EVENT_COMPLETE, -1, -1, PLAIT_SHAPE_TEST);
  const auto wait = process.shape(PLAIT_EVENT_COMPLETE);
  process.chunk();
  process.event(any, 1, 1);
  process.event(send, 1, 1);
  process.event(send, 1, 1);
  process.event(test, 1, 1, {0, 1});
  process.event(test, 1, 1, {1, 3 | PLAIT_REFERENCE_STATUS, 1, 7});
  process.chunk(0, 5000, 4);
  process.event(send, 1, 1);
  process.event(
      wait, 1, 1,
      {4, 1 | PLAIT_REFERENCE_CANCELLED, 2, PLAIT_REFERENCE_UNKNOWN, 3 | PLAIT_REFERENCE_FREED});
  const Trace trace = read({&process});
  const Rank& rank = trace.ranks[0];
  ASSERT_EQ(rank.operations.size(), 4u);
  EXPECT_EQ(rank.operations[0].partner, 1);
  EXPECT_EQ(rank.operations[0].tag, 7);
  EXPECT_EQ(rank.operations[0].ended, 4u);
  EXPECT_TRUE(rank.operations[3].cancelled);
  EXPECT_TRUE(rank.operations[1].freed);
  const auto& events = rank.streams[0].events;
  EXPECT_EQ(trace.shape(events[3]).kind, EventKind::poll);
  EXPECT_EQ(events[3].bytes, 1u);  // calls
  EXPECT_EQ(trace.shape(events[4]).kind, EventKind::complete);
  const auto ended = rank.completed_by(events[6]);
  EXPECT_EQ(std::vector(ended.begin(), ended.end()), (std::vector<std::uint32_t>{3, 2, 1}));
  EXPECT_TRUE(rank.completed_by(events[3]).empty());
  EXPECT_EQ(rank.started_by(events[5]).size(), 1u);
  EXPECT_EQ(trace.unmatched_sends, 2u);  // the cancelled one is not counted
}

TEST_F(ReadEvents, PersistentRequestsStartAnOperationEachTime) {
  SyntheticEvents process(0, 2);
  const auto send = process.shape(PLAIT_EVENT_ISEND, 1, 5, PLAIT_SHAPE_PERSISTENT);
  const auto receive = process.shape(PLAIT_EVENT_IRECV, 1, 6, PLAIT_SHAPE_PERSISTENT);
  const auto start = process.shape(PLAIT_EVENT_START);
  const auto wait = process.shape(PLAIT_EVENT_COMPLETE);
  process.chunk();
  for (int i = 0; i < 2; ++i) {
    process.event(start, 1, 1, {2, send, 64, 0, receive, 0, 1});
    process.event(wait, 1, 1, {2, 2, 1});
  }
  const Trace trace = read({&process});
  const Rank& rank = trace.ranks[0];
  ASSERT_EQ(rank.operations.size(), 4u);
  EXPECT_EQ(rank.operations[2].bytes, 64u);
  EXPECT_EQ(rank.operations[2].started, 2u);
  EXPECT_EQ(rank.operations[2].ended, 3u);
  EXPECT_EQ(rank.operations[3].capacity, std::uint64_t{1} << 32);
  EXPECT_EQ(trace.shapes[rank.operations[3].shape].tag, 6);
  EXPECT_EQ(rank.started_by(rank.streams[0].events[0]).size(), 2u);
}

TEST_F(ReadEvents, BothHalvesOfSendrecvAreOperations) {
  SyntheticEvents process(0, 3);
  const auto both = process.shape(PLAIT_EVENT_SENDRECV, 1, 5);
  const auto half = process.shape(PLAIT_EVENT_RECV, PLAIT_ANY_PEER, -1, PLAIT_SHAPE_WILDCARD);
  const auto begins = process.shape(PLAIT_EVENT_ISENDRECV, 2, 5);
  const auto later = process.shape(PLAIT_EVENT_IRECV, 2, 6);
  const auto wait = process.shape(PLAIT_EVENT_COMPLETE);
  process.chunk();
  process.event(both | kBytes, 1, 1, {8, half, 16, 0, 2, 7});
  process.event(begins, 1, 1, {later, 32, 0, 2, 6});
  process.event(wait, 1, 1, {1, 1});
  const Trace trace = read({&process});
  const auto& operations = trace.ranks[0].operations;
  ASSERT_EQ(operations.size(), 4u);
  EXPECT_EQ(operations[0].bytes, 8u);
  EXPECT_EQ(operations[1].partner, 2);
  EXPECT_EQ(operations[1].tag, 7);
  EXPECT_EQ(operations[1].capacity, 16u);
  EXPECT_EQ(operations[1].ended, 0u);
  EXPECT_EQ(operations[2].ended, 2u);
  EXPECT_EQ(operations[3].kind, OperationKind::receive);
  EXPECT_EQ(operations[3].ended, 2u);
  EXPECT_EQ(operations[3].tag, 6);
}

TEST_F(ReadEvents, AMatchedProbeBeginsTheReceiveThatMrecvEnds) {
  SyntheticEvents process(0, 3);
  const auto probe = process.shape(PLAIT_EVENT_MPROBE, PLAIT_ANY_PEER, -1, PLAIT_SHAPE_WILDCARD);
  const auto plain = process.shape(PLAIT_EVENT_PROBE, 1, 2, PLAIT_SHAPE_TEST);
  const auto receive = process.shape(PLAIT_EVENT_MRECV);
  const auto begins = process.shape(PLAIT_EVENT_IMRECV);
  const auto wait = process.shape(PLAIT_EVENT_COMPLETE);
  process.chunk();
  process.event(probe, 1, 1, {0, 1});
  process.event(plain, 1, 1, {1, 1, 2});
  process.event(probe, 1, 1, {1, 2, 9});
  process.event(probe, 1, 1, {1, 1, 8});
  process.event(receive | kBytes, 1, 1, {64, 2});
  process.event(begins | kBytes, 1, 1, {32, 1});
  process.event(wait, 1, 1, {1, 1});
  const Trace trace = read({&process});
  const Rank& rank = trace.ranks[0];
  ASSERT_EQ(rank.operations.size(), 2u);
  EXPECT_EQ(rank.operations[0].partner, 2);
  EXPECT_EQ(rank.operations[0].tag, 9);
  EXPECT_EQ(rank.operations[0].started, 2u);
  EXPECT_EQ(rank.operations[0].ended, 4u);
  EXPECT_EQ(rank.operations[0].capacity, 64u);
  EXPECT_EQ(rank.operations[1].ended, 6u);
  EXPECT_EQ(rank.operations[1].capacity, 32u);
  const auto& events = rank.streams[0].events;
  EXPECT_EQ(trace.shape(events[0]).kind, EventKind::poll);
  EXPECT_EQ(trace.shape(events[1]).kind, EventKind::probe);
  EXPECT_EQ(trace.shape(events[4]).kind, EventKind::receive);
}

TEST_F(ReadEvents, CollectivesKnowWhatWasSentAndReceived) {
  SyntheticEvents first(0, 2), second(1, 2);
  for (SyntheticEvents* process : {&first, &second}) {
    plait_shape made{};
    made.kind = PLAIT_EVENT_COLLECTIVE;
    made.function = process->function("MPI_Allreduce");
    made.comm = 1;
    made.peer = PLAIT_NO_PEER;
    made.operation = PLAIT_OP_SUM;
    made.extra = 8;
    const auto blocking = process->shape(made);
    const auto varies =
        process->shape(PLAIT_EVENT_ICOLLECTIVE, 0, -1, PLAIT_SHAPE_VARIES, "MPI_Igather");
    const auto wait = process->shape(PLAIT_EVENT_COMPLETE);
    process->chunk();
    process->event(blocking | kBytes, 1, 1, {8});
    process->event(varies, 1, 1, {24, 0});
    process->event(wait, 1, 1, {1, 1});
  }
  const Trace trace = read({&first, &second});
  ASSERT_EQ(trace.collectives.size(), 2u);
  EXPECT_TRUE(trace.collectives[0].consistent);
  const auto& operations = trace.ranks[1].operations;
  EXPECT_EQ(operations[0].bytes, 8u);
  EXPECT_EQ(operations[0].capacity, 8u);
  EXPECT_EQ(operations[1].capacity, 24u);
  EXPECT_EQ(operations[1].message, 1u);
  EXPECT_EQ(trace.shapes.size(), 3u);  // both processes' are the same
}

TEST_F(ReadEvents, ThreadsHaveStreamsAndCompleteEachOthersRequests) {
  SyntheticEvents process(0, 2);
  const auto send = process.shape(PLAIT_EVENT_ISEND, 1, 5);
  const auto wait = process.shape(PLAIT_EVENT_COMPLETE);
  process.chunk(1, 2000);
  process.event(wait, 100, 1, {2, 2 | PLAIT_REFERENCE_FOREIGN, 0, 77 | PLAIT_REFERENCE_FOREIGN, 0});
  process.chunk(0, 2000);
  process.event(send, 1, 1);
  process.event(send, 1, 1);
  const Trace trace = read({&process});
  const Rank& rank = trace.ranks[0];
  ASSERT_EQ(rank.streams.size(), 2u);
  EXPECT_EQ(rank.streams[0].tid, 500);
  EXPECT_EQ(rank.streams[1].omp_thread, 1);
  EXPECT_EQ(rank.operations[1].ended, 0u);
  EXPECT_EQ(rank.operations[1].end_stream, 1u);
  EXPECT_EQ(rank.operations[0].ended, kNone);
  const auto ended = rank.completed_by(rank.streams[1].events[0]);
  EXPECT_EQ(std::vector(ended.begin(), ended.end()), (std::vector<std::uint32_t>{1}));
}

TEST_F(ReadEvents, RegionsContainTheEventsBeforeThem) {
  SyntheticEvents process;
  process.record.table<plait_region_record>(
      PLAIT_SECTION_REGIONS,
      {{process.record.string("step"), 0, 1, 0, 0}, {process.record.string("halo"), 1, 1, 0, 0}});
  process.record.table<plait_parallel_record>(PLAIT_SECTION_PARALLEL, {{0x1234, 1, 2, 0, 0, 0, 0}});
  plait_shape made{};
  made.kind = PLAIT_EVENT_REGION;
  made.site = 1;
  const auto region = process.shape(made);
  made.kind = PLAIT_EVENT_PARALLEL;
  made.site = 0;
  const auto parallel = process.shape(made);
  made.kind = PLAIT_EVENT_WORK;
  const auto work = process.shape(made);
  const auto call = process.shape(PLAIT_EVENT_OTHER);
  const auto pause = process.shape(PLAIT_EVENT_PAUSE);
  process.chunk();
  process.event(call, 100, 10);
  process.event(work, 90, 150, {20, 0});
  process.event(parallel, 0, 160, {2, 200, 0});
  process.event(pause, 0, 100'000'000);
  process.event(region, 50, 100'000'250);
  const Trace trace = read({&process});
  const auto& events = trace.ranks[0].streams[0].events;
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[1].begin, 25);
  EXPECT_EQ(events[1].end, 100);
  EXPECT_EQ(events[1].bytes, 10u);  // ns idle
  EXPECT_EQ(events[2].begin, 20);
  EXPECT_EQ(events[2].bytes, 60u);  // 2 * 160 - 200 ticks
  EXPECT_EQ(trace.regions[trace.shape(events[2]).site].address.pc, 0x1234u);
  EXPECT_EQ(events[3].end, 50'000'125);
  EXPECT_EQ(events[3].begin, 0);
  const TraceRegion& halo = trace.regions[trace.shape(events[3]).site];
  EXPECT_EQ(halo.name, "halo");
  EXPECT_EQ(trace.regions[halo.parent].name, "step");
  EXPECT_EQ(trace.shape(events[3]).function, kNone);
  EXPECT_TRUE(trace.problems.empty());
  ASSERT_EQ(trace.ranks[0].gaps.size(), 1u);
  EXPECT_EQ(trace.ranks[0].gaps[0].end - trace.ranks[0].gaps[0].begin, 50'000'000);
}

TEST_F(ReadEvents, SitesAndCommunicatorsOfAllProcessesAreMerged) {
  SyntheticEvents first(0, 2), second(1, 2);
  for (SyntheticEvents* process : {&first, &second}) {
    plait_site_record site{};
    site.depth = 1;
    site.pc[0] = 0x4000;
    process->record.table<plait_site_record>(PLAIT_SECTION_SITES, {{}, site});
    const bool is_first = process == &first;
    // An intercommunicator as each side sees it, and one with the world's members.
    process->comms.push_back({process->record.string("inter"), 1, 0, 1, is_first ? 0U : 1U, 0, 88});
    process->comms.push_back({0, 2, is_first ? 0 : 1, 0, 0, 1, 77});
    plait_shape made{};
    made.kind = PLAIT_EVENT_COLLECTIVE;
    made.function = process->function("MPI_Barrier");
    made.comm = 3;
    made.peer = PLAIT_NO_PEER;
    made.site = 1;
    process->chunk();
    process->event(process->shape(made), 1, 1);
  }
  const Trace trace = read({&first, &second});
  EXPECT_EQ(trace.sites.size(), 2u);
  EXPECT_EQ(trace.sites[1].frames.at(0).pc, 0x4000u);
  ASSERT_EQ(trace.collectives.size(), 1u);
  const Comm& comm = trace.comms[trace.collectives[0].comm];
  EXPECT_EQ(comm.members, (std::vector<int>{0, 1}));
  EXPECT_EQ(comm.name, "");
  ASSERT_EQ(trace.comms.size(), 3u);
  EXPECT_EQ(trace.comms[1].members, std::vector<int>{0});
  EXPECT_EQ(trace.comms[1].remote_members, std::vector<int>{1});
}

}  // namespace
}  // namespace plait::trace
