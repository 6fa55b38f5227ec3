// SPDX-License-Identifier: BSD-3-Clause
// Tests of packing: nothing is lost, raw files are deleted afterwards, other versions are refused.
#include <gtest/gtest.h>

#include <cstdio>

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

/// Two ranks on two hosts that send to each other, with a site, regions and clock offsets.
void write_two_ranks(const fs::path& run, std::uint32_t messages) {
  for (int rank = 0; rank < 2; ++rank) {
    SyntheticEvents process(rank, 2, rank == 0 ? "alpha" : "beta");
    plait_site_record site{};
    site.depth = 2;
    site.pc[0] = 0x4000;
    site.pc[1] = 0x5000;
    process.record.table<plait_site_record>(PLAIT_SECTION_SITES, {{}, site});
    process.record.table<plait_region_record>(PLAIT_SECTION_REGIONS,
                                              {{process.record.string("step"), 0, 1, 0, 0}});
    process.record.table<plait_parallel_record>(PLAIT_SECTION_PARALLEL,
                                                {{0x1234, 1, 2, 0, 0, 0, 0}});
    if (rank == 1) {
      process.header().at_init = {2000, 3.0, 2e-6, 1, 0};
      process.header().at_finalize = {2'000'002'000, 3.0, 1e-6, 1, 0};
    }
    const auto send = process.shape(PLAIT_EVENT_ISEND, 1 - rank, 3);
    const auto receive = process.shape(PLAIT_EVENT_RECV, 1 - rank, 3);
    const auto wait = process.shape(PLAIT_EVENT_COMPLETE);
    for (std::uint32_t i = 0; i < messages; ++i) {
      if (i % 50 == 0) {
        process.chunk(0, 3000 + 10'000 * i, 1 + i);
      }
      process.event(send | PLAIT_SHAPE_BYTES, 10 + i % 7, 20, {i});
      process.event(receive, 300, 1000);
      process.event(wait, 5, 5, {1, 1});
    }
    process.write(run);
  }
}

void expect_equal(const Trace& a, const Trace& b) {
  ASSERT_EQ(a.ranks.size(), b.ranks.size());
  EXPECT_EQ(a.functions, b.functions);
  EXPECT_EQ(a.shapes, b.shapes);
  EXPECT_EQ(a.nodes, b.nodes);
  EXPECT_EQ(a.sites.size(), b.sites.size());
  EXPECT_EQ(a.comms.at(0).members, b.comms.at(0).members);
  EXPECT_EQ(a.comms.at(0).name, b.comms.at(0).name);
  EXPECT_EQ(a.regions.size(), b.regions.size());
  EXPECT_EQ(a.messages.size(), b.messages.size());
  EXPECT_EQ(a.clock_error_s, b.clock_error_s);
  for (std::size_t rank = 0; rank < a.ranks.size(); ++rank) {
    const Rank &left = a.ranks[rank], &right = b.ranks[rank];
    EXPECT_EQ(left.begin, right.begin);
    EXPECT_EQ(left.end, right.end);
    EXPECT_EQ(left.complete, right.complete);
    EXPECT_EQ(left.overhead_ns_per_event, right.overhead_ns_per_event);
    EXPECT_EQ(left.ended, right.ended);
    ASSERT_EQ(left.streams.size(), right.streams.size());
    for (std::size_t stream = 0; stream < left.streams.size(); ++stream) {
      EXPECT_EQ(left.streams[stream].tid, right.streams[stream].tid);
      const auto &events = left.streams[stream].events, &others = right.streams[stream].events;
      ASSERT_EQ(events.size(), others.size());
      for (std::size_t i = 0; i < events.size(); ++i) {
        ASSERT_EQ(events[i].begin, others[i].begin);
        ASSERT_EQ(events[i].end, others[i].end);
        ASSERT_EQ(events[i].bytes, others[i].bytes);
        ASSERT_EQ(events[i].shape, others[i].shape);
      }
    }
  }
}

TEST(Packed, PackingLosesNothingAndDeletesTheRawFiles) {
  const RunFolder run("packed");
  write_two_ranks(run.path(), 400);
  ASSERT_TRUE(has_trace(run.path()));
  const Trace raw = read_trace(run.path());
  EXPECT_EQ(raw.messages.size(), 800u);
  EXPECT_EQ(raw.unmatched_sends, 0u);
  std::size_t calls = 0;
  const PackResult result = pack_trace(run.path(), [&](std::size_t done, std::size_t all) {
    EXPECT_EQ(done, ++calls);
    EXPECT_EQ(all, 2u);
  });
  EXPECT_EQ(calls, 2u);
  EXPECT_EQ(result.files, 2u);
  EXPECT_EQ(result.events, 2400u);
  EXPECT_EQ(result.hosts, 2u);
  EXPECT_DOUBLE_EQ(result.clock_error_s, 2e-6);
  EXPECT_DOUBLE_EQ(result.overhead_ns_per_event, 12.5);
  EXPECT_TRUE(result.problems.empty());
  EXPECT_LT(result.bytes, result.raw_bytes);
  EXPECT_EQ(result.bytes, fs::file_size(run.path() / "trace" / "0.ptrace") +
                              fs::file_size(run.path() / "trace" / "1.ptrace"));
  EXPECT_FALSE(fs::exists(run.path() / "records" / "alpha-100.evt"));
  EXPECT_TRUE(fs::exists(run.path() / "records" / "alpha-100.rec"));
  EXPECT_FALSE(fs::exists(run.path() / "trace.part"));
  ASSERT_TRUE(has_trace(run.path()));
  const Trace packed = read_trace(run.path());
  EXPECT_TRUE(packed.problems.empty());
  expect_equal(raw, packed);
  EXPECT_EQ(packed.sites.at(1).frames.at(1).pc, raw.sites.at(1).frames.at(1).pc);
}

TEST(Packed, UnreadableFilesStayAndAreReported) {
  const RunFolder run("packed");
  write_two_ranks(run.path(), 10);
  std::ofstream(run.path() / "records" / "foreign.evt") << "something else altogether";
  const PackResult result = pack_trace(run.path(), [](std::size_t, std::size_t) {});
  EXPECT_EQ(result.files, 2u);
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_NE(result.problems[0].find("foreign.evt: not an event file"), std::string::npos);
  EXPECT_TRUE(fs::exists(run.path() / "records" / "foreign.evt"));
  EXPECT_EQ(read_trace(run.path()).messages.size(), 20u);
}

TEST(Packed, ProblemsOfTheRawFileAreKept) {
  const RunFolder run("packed");
  write_two_ranks(run.path(), 200);
  {
    std::fstream file(run.path() / "records" / "alpha-100.evt",
                      std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(SyntheticEvents::place_of(1)) + 200);
    file.put('!');
  }
  const PackResult result = pack_trace(run.path(), [](std::size_t, std::size_t) {});
  ASSERT_EQ(result.problems.size(), 1u);
  const Trace trace = read_trace(run.path());
  ASSERT_EQ(trace.problems.size(), 1u);
  EXPECT_NE(trace.problems[0].find("fail their checksum"), std::string::npos);
}

TEST(Packed, ARunWithoutRawFilesIsLeftAlone) {
  const RunFolder run("packed");
  EXPECT_EQ(pack_trace(run.path(), [](std::size_t, std::size_t) {}).files, 0u);
  EXPECT_FALSE(has_trace(run.path()));
  EXPECT_THROW(read_trace(run.path()), Error);
}

TEST(Packed, AFileCutOffIsReadUpToItsLastWholeChunk) {
  const RunFolder run("packed");
  write_two_ranks(run.path(), 400);
  pack_trace(run.path(), [](std::size_t, std::size_t) {});
  const fs::path file = run.path() / "trace" / "1.ptrace";
  const auto whole = fs::file_size(file);
  fs::resize_file(file, whole - sizeof(plait_packed_chunk));  // all but the end
  Trace trace = read_trace(run.path());
  EXPECT_EQ(event_count(trace), 2400u);
  ASSERT_EQ(trace.problems.size(), 1u);
  EXPECT_NE(trace.problems[0].find("is cut off after 8 complete chunks"), std::string::npos);
  fs::resize_file(file, whole - sizeof(plait_packed_chunk) - 10);
  trace = read_trace(run.path());
  EXPECT_EQ(event_count(trace), 2400u - 150u);
}

TEST(Packed, OtherFilesAndVersionsAreRefusedInOneLine) {
  const RunFolder run("packed");
  const fs::path file = run.path() / "0.ptrace";
  std::ofstream(file) << "something else, but long enough for a header";
  EXPECT_THROW(open_packed_events(file), Error);
  plait_packed_header head{};
  head.magic = PLAIT_PACKED_MAGIC;
  head.version = PLAIT_PACKED_VERSION + 1;
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(&head), sizeof head);
  try {
    open_packed_events(file);
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("has trace version 2, but this Plait reads version 1"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace plait::trace
