// SPDX-License-Identifier: BSD-3-Clause
// Tests of the readers with files that are damaged, cut off, or left by killed processes.
#include <gtest/gtest.h>

#include <random>

#include "compressed_events.hpp"
#include "plait/error.hpp"
#include "synthetic_events.hpp"
#include "trace/event_source.hpp"
#include "trace/pack.hpp"
#include "trace/trace.hpp"

namespace plait::trace {
namespace {

namespace fs = std::filesystem;
using test::RunFolder;
using test::SyntheticEvents;

void write(const fs::path& file, const std::vector<char>& bytes) {
  std::ofstream(file, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::vector<char> bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Three chunks of 20 calls, some of which start and complete requests.
SyntheticEvents some_events() {
  SyntheticEvents process(0, 2);
  const auto send = process.shape(PLAIT_EVENT_ISEND, 1, 5);
  const auto wait = process.shape(PLAIT_EVENT_COMPLETE);
  const auto both = process.shape(PLAIT_EVENT_SENDRECV, 1, 5);
  const auto half = process.shape(PLAIT_EVENT_RECV, PLAIT_ANY_PEER, -1, PLAIT_SHAPE_WILDCARD);
  const auto start = process.shape(PLAIT_EVENT_START);
  const auto probe = process.shape(PLAIT_EVENT_MPROBE, 1, 5);
  for (std::uint32_t chunk = 0; chunk < 3; ++chunk) {
    process.chunk(0, 3000 + 100'000 * chunk, 1 + 15 * chunk);
    for (std::uint32_t i = 0; i < 5; ++i) {
      process.event(send | PLAIT_SHAPE_BYTES, 10, 20, {i});
      process.event(start, 10, 20, {2, send, 8, 0, send, 9, 0});
      process.event(wait, 10, 20, {3, 1, 2 | PLAIT_REFERENCE_FREED, 3});
      process.event(
          i % 2 == 0 ? both : probe, 10, 20,
          i % 2 == 0 ? SyntheticEvents::Words{half, 4, 0, 1, 5} : SyntheticEvents::Words{0, 1});
    }
  }
  return process;
}

TEST(Damaged, AnOpenChunkOfAKilledProcessIsReadUpToItsEnd) {
  const RunFolder run("damaged");
  SyntheticEvents process(0, 2);
  process.record.header().state = PLAIT_STATE_INITIALIZED;
  const auto call = process.shape(PLAIT_EVENT_OTHER);
  process.bytes();  // the shapes come first
  process.chunk();
  process.event(call, 1, 1);
  process.event(call, 1, 1);
  process.open().closed = 0;
  process.finish(100);
  process.write(run.path());
  const Trace trace = read_trace(run.path());
  EXPECT_EQ(event_count(trace), 2u);
  EXPECT_FALSE(trace.ranks[0].complete);
  EXPECT_EQ(trace.problems, std::vector<std::string>{"1 of 2 ranks have no events"});
}

TEST(Damaged, ADuplicateChunkIsReadOnce) {
  const RunFolder run("damaged");
  SyntheticEvents process;
  const auto call = process.shape(PLAIT_EVENT_OTHER);
  process.chunk();
  process.event(call, 1, 1);
  process.open().closed = 0;
  process.chunk();
  process.open().sequence = 1;
  process.event(call, 1, 1);
  process.event(call, 1, 1);
  process.write(run.path());
  const Trace trace = read_trace(run.path());
  EXPECT_EQ(event_count(trace), 2u);  // the closed one's
}

TEST(Damaged, ARingIsReadInTheOrderOfItsSequence) {
  const RunFolder run("damaged");
  SyntheticEvents process(0, 2);
  const auto send = process.shape(PLAIT_EVENT_ISEND, 1, 5);
  const auto wait = process.shape(PLAIT_EVENT_COMPLETE);
  process.header().mode = PLAIT_TRACE_RING;
  process.header().overwritten_events = 40;
  process.chunk(0, 9000, 12);
  process.open().sequence = 12;
  process.event(wait, 1, 1, {2, 1, 5});  // the second is in an overwritten chunk
  process.chunk(0, 5000, 10);
  process.open().sequence = 11;
  process.event(send, 1, 1);
  process.event(send, 1, 1);
  process.write(run.path());
  const Trace trace = read_trace(run.path());
  const Rank& rank = trace.ranks[0];
  ASSERT_EQ(event_count(trace), 3u);
  EXPECT_EQ(rank.begin, 0);
  EXPECT_EQ(rank.streams[0].events[0].begin, 0);
  EXPECT_EQ(rank.operations[1].ended, 2u);
  EXPECT_EQ(rank.completed_by(rank.streams[0].events[2]).size(), 1u);
  EXPECT_EQ(rank.overwritten_events, 40u);
}

TEST(Damaged, AChunkThatFailsItsChecksumIsLeftOutAndReported) {
  const RunFolder run("damaged");
  SyntheticEvents process = some_events();
  process.bytes()[SyntheticEvents::place_of(1) + 100] ^= 1;
  process.write(run.path());
  const Trace trace = read_trace(run.path());
  EXPECT_EQ(event_count(trace), 40u);
  ASSERT_EQ(trace.problems.size(), 2u);
  EXPECT_NE(trace.problems[0].find("1 of 4 chunks fail their checksum"), std::string::npos);
}

TEST(Damaged, AFileCutOffIsReadUpToItsLastWholeChunk) {
  const RunFolder run("damaged");
  SyntheticEvents process(0, 1);
  const auto call = process.shape(PLAIT_EVENT_OTHER);
  process.bytes();
  for (int chunk = 0; chunk < 3; ++chunk) {
    process.chunk();
    process.event(call, 1, 1);
  }
  process.bytes().resize(SyntheticEvents::place_of(3) + 70);
  process.write(run.path());
  const Trace trace = read_trace(run.path());
  EXPECT_EQ(event_count(trace), 2u);
  ASSERT_EQ(trace.problems.size(), 1u);
  EXPECT_NE(trace.problems[0].find("1 of 4 chunks are missing because the file is cut off"),
            std::string::npos);
}

TEST(Damaged, AFileOfAnotherKindOrVersionIsRefusedInOneLine) {
  const RunFolder run("damaged");
  SyntheticEvents process = some_events();
  process.header().version = 7;
  process.write(run.path());
  try {
    read_trace(run.path());
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("has event version 7, but this Plait reads version 1"),
              std::string::npos);
  }
  write(run.path() / "records" / "alpha-100.evt", std::vector<char>(5000, 0));
  EXPECT_THROW(read_trace(run.path()), Error);
  write(run.path() / "records" / "alpha-100.evt", {});
  EXPECT_THROW(read_trace(run.path()), Error);
}

TEST(Damaged, EventsWithoutARecordAreRefused) {
  const RunFolder run("damaged");
  some_events().write(run.path());
  fs::remove(run.path() / "records" / "alpha-100.rec");
  EXPECT_THROW(read_trace(run.path()), Error);
}

/// Reads a run that may be damaged. Only Error may be thrown.
void read_any(const fs::path& run) {
  try {
    const Trace trace = read_trace(run);
    for (const Rank& rank : trace.ranks) {
      for (const Operation& operation : rank.operations) {
        ASSERT_LT(operation.stream, rank.streams.size());
        ASSERT_LT(operation.started, rank.streams[operation.stream].events.size());
        ASSERT_LT(operation.shape, trace.shapes.size());
        if (operation.ended != kNone) {
          ASSERT_LT(operation.ended, rank.streams.at(operation.end_stream).events.size());
        }
      }
      for (const Stream& stream : rank.streams) {
        for (const Event& event : stream.events) {
          ASSERT_LE(event.first_operation == kNone ? 0 : event.first_operation + event.operations,
                    rank.operations.size());
          for (const std::uint32_t ended : rank.completed_by(event)) {
            ASSERT_LT(ended, rank.operations.size());
          }
        }
      }
    }
  } catch (const Error&) {
  }
}

/// Damages a few bytes of `file` in many ways and reads the run each time.
void read_damaged(const fs::path& run, const fs::path& file, unsigned seed) {
  const std::vector<char> whole = bytes_of(file);
  std::mt19937 random(seed);
  for (int round = 0; round < 150; ++round) {
    std::vector<char> bytes = whole;
    for (unsigned count = 1 + random() % 4; count > 0; --count) {
      // Damage headers, which contain sizes, more often.
      const std::size_t place = random() % 2 == 0 ? random() % 4200 : random();
      bytes[place % bytes.size()] = static_cast<char>(random());
    }
    if (round % 5 == 0) {
      bytes.resize(random() % bytes.size());
    }
    write(file, bytes);
    read_any(run);
  }
  write(file, whole);
}

TEST(Damaged, NoDamageToRawFilesHarmsTheReader) {
  const RunFolder run("damaged");
  SyntheticEvents process = some_events();
  process.chunk(1, 4000);  // open, so without a checksum
  process.open().closed = 0;
  for (int i = 0; i < 20; ++i) {
    process.event(0, 1, 1);
    process.event(1, 1, 1, {2, 1, 1 | PLAIT_REFERENCE_FOREIGN | PLAIT_REFERENCE_STATUS, 0, 1, 1});
  }
  process.write(run.path());
  const fs::path events = run.path() / "records" / "alpha-100.evt";
  read_damaged(run.path(), events, 1);
  read_damaged(run.path(), run.path() / "records" / "alpha-100.rec", 2);
  write(events, test::compressed_events(bytes_of(events)));
  read_damaged(run.path(), events, 5);
}

TEST(Damaged, NoDamageToColumnsWithoutAChecksumHarmsTheReader) {
  const RunFolder run("damaged");
  SyntheticEvents process = some_events();
  std::vector<char>& bytes = process.bytes();
  for (std::size_t chunk = 0; chunk < 3; ++chunk) {
    reinterpret_cast<plait_chunk_header*>(&bytes[SyntheticEvents::place_of(chunk)])->closed = 0;
  }
  process.write(run.path());
  read_damaged(run.path(), run.path() / "records" / "alpha-100.evt", 3);
}

TEST(Damaged, NoDamageToPackedFilesHarmsTheReader) {
  const RunFolder run("damaged");
  some_events().write(run.path());
  pack_trace(run.path(), [](std::size_t, std::size_t) {});
  read_damaged(run.path(), run.path() / "trace" / "0.ptrace", 4);
}

}  // namespace
}  // namespace plait::trace
