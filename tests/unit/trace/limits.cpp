// SPDX-License-Identifier: BSD-3-Clause
// Tests that counts, sizes and times in files are not believed: memory stays in proportion to a
// file, indices and times are valid, and damage is reported.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstddef>

#include "plait/error.hpp"
#include "synthetic_events.hpp"
#include "trace/event_source.hpp"
#include "trace/pack.hpp"
#include "trace/packed_format.h"
#include "trace/trace.hpp"

namespace plait::trace {
namespace {

namespace fs = std::filesystem;
using test::RunFolder;
using test::SyntheticEvents;
using test::SyntheticRecord;

std::vector<char> bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const fs::path& file, const std::vector<char>& bytes) {
  std::ofstream(file, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// The largest resident memory of this process until now, MiB.
std::int64_t peak_mib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

/// Calls change(header) for each chunk of a packed trace and corrects its checksum.
template <class Change>
void change_chunks(const fs::path& file, Change change) {
  std::vector<char> bytes = bytes_of(file);
  for (std::size_t at = sizeof(plait_packed_header); at < bytes.size();) {
    plait_packed_chunk head{};
    std::memcpy(&head, &bytes[at], sizeof head);
    change(head);
    constexpr std::size_t kCovered = offsetof(plait_packed_chunk, kind);
    std::memcpy(&bytes[at], &head, sizeof head);
    const std::size_t covered = sizeof head - kCovered + head.stored_bytes;
    head.crc = crc32(std::as_bytes(std::span(bytes).subspan(at + kCovered, covered)));
    std::memcpy(&bytes[at], &head, sizeof head);
    at += sizeof head + head.stored_bytes;
  }
  write_bytes(file, bytes);
}

/// A packed trace of one rank with `events` equal calls, which compress to almost nothing.
fs::path packed_run(const RunFolder& run, std::uint32_t events) {
  SyntheticEvents process;
  const auto call = process.shape(PLAIT_EVENT_OTHER);
  for (std::uint32_t done = 0; done < events; done += 300) {
    process.chunk(0, 2000 + 2 * done);
    for (std::uint32_t i = 0; i < 300; ++i) process.event(call, 1, 1);
  }
  process.write(run.path());
  pack_trace(run.path(), [](std::size_t, std::size_t) {});
  return run.path() / "trace" / "0.ptrace";
}

TEST(Limits, ChunksThatExpandTooFarAreLeftOut) {
  const RunFolder run("limits");
  const fs::path file = packed_run(run, 600);
  for (const bool words : {false, true}) {
    change_chunks(file, [&](plait_packed_chunk& chunk) {
      if (chunk.kind == PLAIT_PACKED_EVENTS) (words ? chunk.words : chunk.items) = 1U << 28;
    });
    const std::int64_t before = peak_mib();
    const Trace trace = read_trace(run.path());
    EXPECT_LT(peak_mib() - before, 100);
    EXPECT_EQ(event_count(trace), 0U);
    EXPECT_NE(trace.damage.find("0.ptrace is damaged in 2 places"), std::string::npos);
  }
}

TEST(Limits, DefinitionsThatExpandTooFarAreRefused) {
  for (const std::uint32_t kind : {PLAIT_PACKED_DEFINITIONS, PLAIT_PACKED_SHAPES}) {
    const RunFolder run("limits");
    change_chunks(packed_run(run, 300), [&](plait_packed_chunk& chunk) {
      if (chunk.kind == kind) chunk.items = 1U << 31;
    });
    const std::int64_t before = peak_mib();
    if (kind == PLAIT_PACKED_DEFINITIONS) {
      EXPECT_THROW(read_trace(run.path()), Error);
    } else {
      EXPECT_NE(read_trace(run.path()).damage, "");
    }
    EXPECT_LT(peak_mib() - before, 100);
  }
}

TEST(Limits, RegularTracesArePackedWithinTheRatio) {
  const RunFolder run("limits");
  const fs::path file = packed_run(run, 30'000);
  std::uint64_t plain = 0, stored = 0;
  change_chunks(file, [&](plait_packed_chunk& chunk) {
    if (chunk.kind != PLAIT_PACKED_EVENTS) return;
    plain += 12ULL * chunk.items;
    stored += chunk.stored_bytes;
  });
  EXPECT_GE(stored * PLAIT_PACKED_RATIO, plain);
  const Trace trace = read_trace(run.path());
  EXPECT_EQ(event_count(trace), 30'000U);
  EXPECT_EQ(trace.damage, "");
  EXPECT_NO_THROW(require_whole(trace, "run"));
}

TEST(Limits, DamageIsKeptWhenATraceIsPacked) {
  const RunFolder run("limits");
  SyntheticEvents process;
  const auto call = process.shape(PLAIT_EVENT_OTHER);
  for (int chunk = 0; chunk < 2; ++chunk) {
    process.chunk();
    process.event(call, 1, 1);
  }
  process.bytes()[SyntheticEvents::place_of(1) + 70] ^= 1;
  process.write(run.path());
  const std::string damage = read_trace(run.path()).damage;
  EXPECT_NE(damage.find("alpha-100.evt: 1 of 3 chunks fail their checksum"), std::string::npos);
  pack_trace(run.path(), [](std::size_t, std::size_t) {});
  const Trace packed = read_trace(run.path());
  EXPECT_EQ(packed.damage, damage);
  try {
    require_whole(packed, "the run", "do something");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "the run: its trace is damaged: " + damage + "; do something");
  }
}

TEST(Limits, ARankFileThatCannotBeReadIsDamage) {
  const RunFolder run("limits");
  for (int rank = 0; rank < 2; ++rank) {
    SyntheticEvents process(rank, 2);
    const auto call = process.shape(PLAIT_EVENT_OTHER);
    process.chunk();
    process.event(call, 1, 1);
    process.write(run.path());
  }
  EXPECT_EQ(read_trace(run.path()).damage, "");
  fs::remove(run.path() / "records" / "alpha-101.rec");
  EXPECT_NE(read_trace(run.path()).damage.find("alpha-101.rec"), std::string::npos);
}

TEST(Limits, AWorldThatTheFilesDoNotJustifyIsLeftOut) {
  const RunFolder run("limits");
  SyntheticEvents process;
  const auto call = process.shape(PLAIT_EVENT_OTHER);
  process.chunk();
  process.event(call, 1, 1);
  process.record.header().world_size = 2'000'000'000;
  process.write(run.path());
  const std::int64_t before = peak_mib();
  const Trace trace = read_trace(run.path());
  EXPECT_EQ(trace.ranks.size(), 0U);
  EXPECT_NE(trace.damage.find("more than 65600, is impossible"), std::string::npos);
  std::vector<std::string> problems;
  EXPECT_TRUE(read_records(run.path() / "records", &problems).empty());
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems[0].find("alpha-100.rec: damaged"), std::string::npos);
  EXPECT_LT(peak_mib() - before, 100);
}

TEST(Limits, ARankOutsideItsWorldIsRefused) {
  const RunFolder run("limits");
  for (const int rank : {2, 7, -2}) {
    SyntheticEvents process(0, 2);
    process.record.header().world_rank = rank;
    process.chunk();
    process.write(run.path());
    EXPECT_THROW(read_trace(run.path()), Error);
  }
}

TEST(Limits, MembersOutsideTheWorldAreUnknown) {
  const RunFolder run("limits");
  SyntheticEvents process(0, 2);
  process.record.table<std::int32_t>(PLAIT_SECTION_RANKS, {0, 900, -7});
  process.comms[1].size = 3;
  const auto send = process.shape(PLAIT_EVENT_SEND, 1, 3);
  const auto lost = process.shape(PLAIT_EVENT_SEND, 2, 3);
  const auto wild = process.shape(PLAIT_EVENT_RECV, PLAIT_ANY_PEER, -1, PLAIT_SHAPE_WILDCARD);
  process.chunk();
  process.event(send, 1, 1);
  process.event(lost, 1, 1);
  process.event(wild, 1, 1, {1, 5});
  process.write(run.path());
  const Trace trace = read_trace(run.path());
  EXPECT_EQ(trace.comms.at(0).members, (std::vector<int>{0, -1, -1}));
  ASSERT_EQ(trace.ranks[0].operations.size(), 3U);
  for (const Operation& operation : trace.ranks[0].operations) EXPECT_EQ(operation.partner, -1);
}

TEST(Limits, TimesStayInOrderAndInRange) {
  const RunFolder run("limits");
  SyntheticEvents process;
  const auto call = process.shape(PLAIT_EVENT_OTHER);
  plait_shape made{};
  made.kind = PLAIT_EVENT_REGION;
  const auto region = process.shape(made);
  process.chunk(0, 1ULL << 62);
  process.event(region, 1, PLAIT_LONG, {~0U, 0x7fffffffU});
  process.event(call, 1, 1);
  process.chunk(0, 5000);  // before the first chunk
  process.event(call, 1, PLAIT_LONG, {~0U, ~0U});
  process.chunk(0, 5000);
  process.event(call, PLAIT_LONG, 1, {~0U, ~0U});
  process.event(call, 1, 1);
  process.write(run.path());
  const Trace trace = read_trace(run.path());
  const std::vector<Event>& events = trace.ranks.at(0).streams.at(0).events;
  ASSERT_EQ(events.size(), 3U);
  std::int64_t last = 0;
  for (const Event& event : events) {
    EXPECT_LE(event.begin, event.end);
    EXPECT_LE(last, event.end);
    EXPECT_LT(event.end, std::int64_t{1} << 58);
    last = event.end;
  }
  EXPECT_NE(trace.damage.find("the times of its events overflow"), std::string::npos);
}

TEST(Limits, TimesStayInOrderAtTheMiddleOfTheClock) {
  const RunFolder run("limits");
  SyntheticEvents process;
  const auto call = process.shape(PLAIT_EVENT_OTHER);
  process.chunk(0, (1ULL << 63) + 900);  // 1000 ticks behind: the process was loaded at tick 1000
  process.event(call, 10, 80);
  process.event(call, 5, 80);
  process.write(run.path());
  const Trace trace = read_trace(run.path());
  const std::vector<Event>& events = trace.ranks.at(0).streams.at(0).events;
  ASSERT_EQ(events.size(), 2U);
  EXPECT_LE(events[0].end, events[1].end);
  for (const Event& event : events) EXPECT_LE(event.begin, event.end);
}

TEST(Limits, ImpossibleClocksAreRefused) {
  for (const double offset_s : {1e300, std::numeric_limits<double>::quiet_NaN()}) {
    const RunFolder run("limits");
    SyntheticEvents process;
    process.header().at_init = {2000, offset_s, 1e-6, 1, 0};
    process.chunk();
    process.write(run.path());
    EXPECT_THROW(read_trace(run.path()), Error);
  }
}

TEST(Limits, CollectivesOfRanksWithoutEventsTakeNoMemory) {
  const RunFolder run("limits");
  constexpr int kRanks = 60'000;
  SyntheticEvents process(0, 1);
  process.record.header().world_size = kRanks;
  std::vector<std::int32_t> first_and_others(8, 0);
  process.record.table(PLAIT_SECTION_RANKS, first_and_others);
  const auto barrier = process.shape(PLAIT_EVENT_COLLECTIVE, -1, -1, 0, "MPI_Barrier");
  process.chunk();
  for (int i = 0; i < 300; ++i) process.event(barrier, 1, 1);
  process.write(run.path());
  Trace trace = read_trace(run.path());
  EXPECT_EQ(trace.collectives.size(), 300U);
  trace.comms.at(0).members.assign(kRanks, 1);
  trace.comms.at(0).members.front() = 0;
  match(trace);
  EXPECT_EQ(trace.collectives.size(), 0U);
  EXPECT_NE(trace.problems.back().find("too few of its ranks have events"), std::string::npos);
}

class RecordLimits : public ::testing::Test {
protected:
  /// The error of reading a record, without what was to do about it.
  std::string error_of(const SyntheticRecord& record) {
    record.write(folder_.path() / "a.rec");
    try {
      read_record(folder_.path() / "a.rec");
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with((folder_.path() / "a.rec").string() + ": damaged: "));
      return message;
    }
    return "";
  }

  RunFolder folder_{"limits"};
};

TEST_F(RecordLimits, TextThatManyEntriesShareIsRefused) {
  SyntheticRecord record;
  const std::uint32_t name = record.string(std::string(4000, 'x'));
  record.table(PLAIT_SECTION_NOTES, std::vector<std::uint32_t>(12'000, name));
  EXPECT_NE(error_of(record).find("refer to the same text or ranks too often"), std::string::npos);
}

TEST_F(RecordLimits, RanksThatManyCommunicatorsShareAreRefused) {
  SyntheticRecord record;
  constexpr int kRanks = 1'000'000;
  record.table<plait_rank_run>(PLAIT_SECTION_RANKS, {{0, kRanks, 1}});
  record.table(PLAIT_SECTION_COMMS,
               std::vector<plait_comm_record>(700, {0, kRanks, 0, 0, 0, 0, 0}));
  EXPECT_NE(error_of(record).find("refer to the same text or ranks too often"), std::string::npos);
}

TEST_F(RecordLimits, ImpossibleRanksAreRefused) {
  SyntheticRecord record;
  record.table<plait_rank_run>(PLAIT_SECTION_RANKS, {{5, 2'000'000'000, 2}});
  record.table<plait_comm_record>(PLAIT_SECTION_COMMS, {{0, 2'000'000'000, 0, 0, 0, 0, 0}});
  EXPECT_NE(error_of(record).find("a communicator has the rank 4000000003"), std::string::npos);
}

TEST_F(RecordLimits, ThreadsThatShareTablesAreRefused) {
  SyntheticRecord record;
  record.table<plait_function_record>(PLAIT_SECTION_FUNCTIONS, {{record.string("MPI_Send"), 0}});
  plait_call_entry call{};
  call.key = PLAIT_CALL_KEY(0, 0, 0, PLAIT_PEER_NODE, 4);
  plait_thread_record thread{};
  thread.calls_offset = record.place(std::vector<plait_call_entry>(300, call));
  thread.calls_capacity = 300;
  record.table(PLAIT_SECTION_THREADS, std::vector<plait_thread_record>(300, thread));
  EXPECT_NE(error_of(record).find("the tables of its threads are larger than the file"),
            std::string::npos);
}

TEST_F(RecordLimits, ImpossibleFiguresAreRefused) {
  SyntheticRecord record;
  record.header().overhead_ns_per_call = std::numeric_limits<double>::infinity();
  EXPECT_NE(error_of(record), "");
  record.header().overhead_ns_per_call = 0;
  EXPECT_EQ(error_of(record), "");
  record.header().cgroup_quota_cores = 1e300;
  EXPECT_NE(error_of(record), "");
  record.header().cgroup_quota_cores = 0;
  record.header().at_load.monotonic_ns = std::numeric_limits<std::int64_t>::min();
  record.header().at_last = {5000, 0, std::numeric_limits<std::int64_t>::max()};
  EXPECT_NE(error_of(record).find("its clock has "), std::string::npos);
}

}  // namespace
}  // namespace plait::trace
