// SPDX-License-Identifier: BSD-3-Clause
// Tests of processes that read a trace together: each its own ranks, or all of them the whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "../job_of_threads.hpp"
#include "synthetic_events.hpp"
#include "trace/trace.hpp"

namespace plait::trace {
namespace {

using plait::test::JobOfThreads;
using test::RunFolder;
using test::SyntheticEvents;

constexpr int kRanks = 150;  // more than twice as many as processes have together

class ReadParts : public testing::Test {
protected:
  /// Each rank sends to the next one and to one far away, and then takes part in a barrier.
  /// @param change  change(rank, process) adds events
  template <class Change>
  void write(Change change) {
    for (int rank = 0; rank < kRanks; ++rank) {
      SyntheticEvents process(rank, kRanks, rank < 90 ? "alpha" : "beta");
      const auto to = [&](int by) { return (rank + by + kRanks) % kRanks; };
      const auto near = process.shape(PLAIT_EVENT_SEND, to(1), 3, 0, "MPI_Send");
      const auto far = process.shape(PLAIT_EVENT_SEND, to(70), 4, 0, "MPI_Send");
      const auto from_near = process.shape(PLAIT_EVENT_RECV, to(-1), 3, 0, "MPI_Recv");
      const auto from_far = process.shape(PLAIT_EVENT_RECV, to(-70), 4, 0, "MPI_Recv");
      const auto barrier =
          process.shape(PLAIT_EVENT_COLLECTIVE, PLAIT_NO_PEER, PLAIT_ANY_TAG, 0, "MPI_Barrier");
      process.chunk();
      for (int step = 0; step < 3; ++step) {
        const auto bytes = static_cast<std::uint32_t>(8 * (rank + step));
        process.event(near | PLAIT_SHAPE_BYTES, 10, 5, {bytes});
        process.event(far | PLAIT_SHAPE_BYTES, 10, 5, {bytes + 1});
        process.event(from_near | PLAIT_SHAPE_BYTES, 10, 5, {2000});
        process.event(from_far | PLAIT_SHAPE_BYTES, 10, 5, {2000});
        process.event(barrier, 10, 5);
      }
      change(rank, process);
      process.write(run_.path());
    }
  }
  void write() {
    write([](int, SyntheticEvents&) {});
  }

  /// Compares what processes read with what one reads.
  void expect_the_same(bool as_parts) {
    const Trace whole = read_trace(run_.path());
    for (const int size : {2, 3, 5}) {
      JobOfThreads(size).run([&](Processes& processes) {
        const Trace part = read_trace(run_.path(), 1, &processes);
        EXPECT_EQ(part.is_part, as_parts);
        EXPECT_EQ(part.problems, whole.problems);
        EXPECT_EQ(part.damage, whole.damage);
        EXPECT_EQ(event_count(part), event_count(whole));
        EXPECT_EQ(part.message_count, whole.messages.size());
        EXPECT_EQ(part.unmatched_sends, whole.unmatched_sends);
        EXPECT_EQ(part.unmatched_receives, whole.unmatched_receives);
        ASSERT_EQ(part.ranks.size(), whole.ranks.size());
        for (std::size_t rank = 0; rank < whole.ranks.size(); ++rank) {
          expect_equal_heads(part.ranks[rank], whole.ranks[rank]);
          if (part.has(rank)) expect_equal_events(part, whole, rank);
        }
        expect_equal_collectives(part, whole);
      });
    }
  }

  static void expect_equal_heads(const Rank& read, const Rank& expected) {
    EXPECT_EQ(read.host, expected.host);
    EXPECT_EQ(read.begin, expected.begin);
    EXPECT_EQ(read.end, expected.end);
    ASSERT_EQ(read.streams.size(), expected.streams.size());
    for (std::size_t i = 0; i < read.streams.size(); ++i) {
      EXPECT_EQ(read.streams[i].tid, expected.streams[i].tid);
    }
  }

  static void expect_equal_events(const Trace& part, const Trace& whole, std::size_t rank) {
    const Rank& read = part.ranks[rank];
    const Rank& expected = whole.ranks[rank];
    EXPECT_EQ(read.gaps.size(), expected.gaps.size());
    for (std::size_t i = 0; i < read.streams.size(); ++i) {
      ASSERT_EQ(read.streams[i].events.size(), expected.streams[i].events.size());
      for (std::size_t at = 0; at < read.streams[i].events.size(); ++at) {
        EXPECT_EQ(read.streams[i].events[at].begin, expected.streams[i].events[at].begin);
        EXPECT_EQ(read.streams[i].events[at].end, expected.streams[i].events[at].end);
      }
    }
    ASSERT_EQ(read.operations.size(), expected.operations.size());
    for (std::size_t i = 0; i < read.operations.size(); ++i) {
      const Operation& one = read.operations[i];
      const Operation& other = expected.operations[i];
      EXPECT_EQ(one.bytes, other.bytes);
      EXPECT_EQ(one.partner, other.partner);
      ASSERT_EQ(one.message == kNone, other.message == kNone);
      if (one.message == kNone) continue;
      if (one.kind == OperationKind::collective) {
        EXPECT_EQ(one.message, other.message);
        continue;
      }
      const Message& message = part.messages[one.message];
      const Message& same = whole.messages[other.message];
      EXPECT_EQ(message.sender, same.sender);
      EXPECT_EQ(message.receiver, same.receiver);
      EXPECT_EQ(message.send, same.send);
      EXPECT_EQ(message.receive, same.receive);
    }
  }

  static void expect_equal_collectives(const Trace& part, const Trace& whole) {
    ASSERT_EQ(part.collectives.size(), whole.collectives.size());
    for (std::size_t i = 0; i < whole.collectives.size(); ++i) {
      const Collective& read = part.collectives[i];
      const Collective& expected = whole.collectives[i];
      EXPECT_EQ(read.comm, expected.comm);
      EXPECT_EQ(read.ordinal, expected.ordinal);
      EXPECT_EQ(read.shape, expected.shape);
      EXPECT_EQ(read.consistent, expected.consistent);
      part.for_members(part.comms[read.comm], [&](std::uint32_t member, int, std::uint32_t place) {
        EXPECT_EQ(part.members[read.first_member + place],
                  whole.members[expected.first_member + member]);
      });
    }
  }

  RunFolder run_{"read-parts"};
};

TEST_F(ReadParts, EachHasItsRanksAndItsEndsOfMessages) {
  write();
  expect_the_same(true);
}

TEST_F(ReadParts, OperationsWithoutAPartnerAreCountedOnce) {
  write([](int rank, SyntheticEvents& process) {
    const auto send = process.shape(PLAIT_EVENT_SEND, 140, 9, 0, "MPI_Send");
    const auto receive = process.shape(PLAIT_EVENT_RECV, 5, 7, 0, "MPI_Recv");
    const auto other = process.shape(PLAIT_EVENT_COLLECTIVE, 0, PLAIT_ANY_TAG, 0, "MPI_Bcast");
    if (rank % 60 == 1) process.event(send | PLAIT_SHAPE_BYTES, 10, 5, {8});
    if (rank == 100) process.event(receive | PLAIT_SHAPE_BYTES, 10, 5, {8});
    if (rank == 120) process.event(other, 10, 5);
  });
  expect_the_same(true);
}

TEST_F(ReadParts, DamageIsReportedByAll) {
  write();
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(run_.path() / "records")) {
    if (entry.path().extension() == ".evt") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::fstream file(files[100], std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(SyntheticEvents::place_of(0)) + 70);
  file.put('\x7f');
  file.close();
  std::filesystem::remove(files[20]);
  expect_the_same(true);
}

TEST_F(ReadParts, GapsMakeAllReadTheWhole) {
  write([](int rank, SyntheticEvents& process) {
    if (rank == 77) process.event(process.shape(PLAIT_EVENT_GAP), 1, 50, {0, 0});
  });
  expect_the_same(false);
}

TEST_F(ReadParts, RingsMakeAllReadTheWhole) {
  write([](int rank, SyntheticEvents& process) {
    if (rank == 3) process.header().overwritten_events = 5;
  });
  expect_the_same(false);
}

TEST_F(ReadParts, AllGetTheSameError) {
  JobOfThreads(3).run([&](Processes& processes) {
    try {
      read_trace(run_.path(), 1, &processes);
      ADD_FAILURE() << "no error";
    } catch (const CommonError& error) {
      EXPECT_NE(std::string(error.what()).find("no trace in this run"), std::string::npos);
    }
  });
}

}  // namespace
}  // namespace plait::trace
