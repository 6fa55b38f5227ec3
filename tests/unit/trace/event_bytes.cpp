// SPDX-License-Identifier: BSD-3-Clause
// Tests of compressed event files: they read as before, damage stays within a piece, and a small
// file cannot fill the memory.
#include "trace/event_bytes.hpp"

#include <gtest/gtest.h>

#include "compressed_events.hpp"
#include "plait/error.hpp"
#include "synthetic_events.hpp"
#include "trace/container.hpp"
#include "trace/event_source.hpp"
#include "trace/pack.hpp"
#include "trace/trace.hpp"

namespace plait::trace {
namespace {

namespace fs = std::filesystem;
using test::compressed_events;
using test::RunFolder;
using test::SyntheticEvents;
using Buffer = std::vector<char>;

constexpr std::uint32_t kChunks = 700;  // of 4 KiB: more than two pieces
constexpr std::uint32_t kEventsPerChunk = 200;

Buffer bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Two threads that take turns, chunk by chunk, with times that hardly compress.
class CompressedEvents : public testing::Test {
protected:
  void SetUp() override {
    SyntheticEvents process;
    const auto send = process.shape(PLAIT_EVENT_ISEND, 0, 5);
    process.bytes();  // the shapes come first
    std::uint32_t noise = 1;
    const auto next = [&] { return (noise = noise * 1664525 + 1013904223) >> 20; };
    for (std::uint32_t chunk = 0; chunk < kChunks; ++chunk) {
      process.chunk(chunk % 2, 3000 + 2'000'000 * chunk, 1 + chunk / 2 * kEventsPerChunk);
      for (std::uint32_t i = 0; i < kEventsPerChunk; ++i) {
        process.event(send | PLAIT_SHAPE_BYTES, next(), next(), {next()});
      }
    }
    process.write(run_.path());
    plain_ = bytes_of(file_);
    write(compressed_events(plain_));
  }

  void write(const Buffer& bytes) const {
    std::ofstream(file_, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  [[nodiscard]] std::size_t events() const { return event_count(read_trace(run_.path())); }

  RunFolder run_{"compressed"};
  fs::path file_ = run_.path() / "records" / "alpha-100.evt";
  Buffer plain_;
};

void expect_equal(EventSource& a, EventSource& b) {
  ASSERT_EQ(a.chunk_count(), b.chunk_count());
  ASSERT_EQ(a.shapes().size(), b.shapes().size());
  for (std::size_t i = 0; i < a.chunk_count(); ++i) {
    const EventChunk one = a.chunk(i), other = b.chunk(i);
    EXPECT_EQ(one.thread, other.thread);
    EXPECT_TRUE(std::ranges::equal(one.shape, other.shape));
    EXPECT_TRUE(std::ranges::equal(one.gap, other.gap));
    EXPECT_TRUE(std::ranges::equal(one.duration, other.duration));
    EXPECT_TRUE(std::ranges::equal(one.words, other.words));
  }
}

TEST_F(CompressedEvents, ReadAsBefore) {
  EXPECT_LT(fs::file_size(file_), plain_.size() / 2);
  const RunFolder other("uncompressed");
  fs::copy(run_.path() / "records", other.path() / "records", fs::copy_options::recursive);
  std::ofstream(other.path() / "records" / "alpha-100.evt", std::ios::binary)
      .write(plain_.data(), static_cast<std::streamsize>(plain_.size()));
  const auto raw = open_raw_events(other.path() / "records" / "alpha-100.evt");
  const auto events = open_raw_events(file_);
  expect_equal(*raw, *events);
  EXPECT_EQ(events->damage(), "");
  EXPECT_EQ(this->events(), kChunks * kEventsPerChunk);
}

TEST_F(CompressedEvents, OfAContainerArePacked) {
  ASSERT_TRUE(store_records(run_.path() / "records", 1).empty());
  const PackResult packed = pack_trace(run_.path(), [](std::size_t, std::size_t) {});
  EXPECT_EQ(packed.events, kChunks * kEventsPerChunk);
  EXPECT_TRUE(packed.problems.empty());
  EXPECT_EQ(events(), kChunks * kEventsPerChunk);
}

TEST_F(CompressedEvents, AViewIsWhatTheFileHas) {
  EventBytes bytes(file_);
  ASSERT_TRUE(bytes.compressed());
  ASSERT_EQ(bytes.size(), plain_.size());
  constexpr std::uint64_t kPiece = PLAIT_EVENTS_PIECE;
  const std::uint64_t offsets[] = {0, kPiece - 10, kPiece, 2 * kPiece - 10, 5, 2 * kPiece, kPiece};
  for (const std::uint64_t offset : offsets) {
    const auto view = bytes.view(offset, 20);
    ASSERT_EQ(view.size(), 20U);
    EXPECT_EQ(std::memcmp(view.data(), plain_.data() + offset, 20), 0) << offset;
  }
  EXPECT_TRUE(bytes.view(0, kPiece + 1).empty());
  bytes.release();
  EXPECT_EQ(std::memcmp(bytes.view(kPiece, 20).data(), plain_.data() + kPiece, 20), 0);
}

TEST_F(CompressedEvents, OfAFileThatIsCutOffAreReadUpToItsLastWholePiece) {
  Buffer bytes = bytes_of(file_);
  bytes.resize(bytes.size() * 3 / 4);  // within the third piece
  write(bytes);
  const Trace trace = read_trace(run_.path());
  // Two pieces have room for 512 chunks, one of which has the shapes.
  EXPECT_GE(event_count(trace), 510 * kEventsPerChunk);
  EXPECT_LE(event_count(trace), 511 * kEventsPerChunk);
  ASSERT_EQ(trace.problems.size(), 1U);
  EXPECT_NE(trace.damage.find("chunks are missing because the file is cut off"), std::string::npos);
}

TEST_F(CompressedEvents, OfADamagedPieceAreLeftOut) {
  const Buffer whole = bytes_of(file_);
  const std::size_t first = ZSTD_findFrameCompressedSize(whole.data(), whole.size());
  Buffer bytes = whole;
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(first + 20), 2000, '\xff');
  write(bytes);
  EventBytes pieces(file_);
  EXPECT_TRUE(pieces.view(PLAIT_EVENTS_PIECE, 1).empty());
  EXPECT_FALSE(pieces.view(0, 1).empty());
  const Trace trace = read_trace(run_.path());
  EXPECT_LT(event_count(trace), kChunks * kEventsPerChunk / 2 + 100 * kEventsPerChunk);
  EXPECT_GE(event_count(trace), 254 * kEventsPerChunk);
  ASSERT_EQ(trace.problems.size(), 1U);
  EXPECT_NE(trace.damage.find("chunks cannot be decompressed"), std::string::npos) << trace.damage;
  bytes = whole;
  std::fill_n(bytes.begin() + 20, 2000, '\xff');
  write(bytes);
  EXPECT_THROW(read_trace(run_.path()), Error);  // its header is gone
}

TEST_F(CompressedEvents, ThatExpandTooFarAreLeftOut) {
  const Buffer zeros(PLAIT_EVENTS_PIECE);
  Buffer frame(ZSTD_compressBound(zeros.size()));
  frame.resize(ZSTD_compress(frame.data(), frame.size(), zeros.data(), zeros.size(), 1));
  Buffer bytes = bytes_of(file_);
  // Nothing may follow a piece that is not whole.
  bytes.insert(bytes.end(), frame.begin(), frame.end());
  write(bytes);
  EXPECT_EQ(EventBytes(file_).size(), plain_.size());
  bytes.clear();
  while (bytes.size() < 3 * PLAIT_EVENTS_PIECE / PLAIT_EVENTS_RATIO) {
    bytes.insert(bytes.end(), frame.begin(), frame.end());
  }
  write(bytes);
  EXPECT_EQ(EventBytes(file_).size(), 3 * PLAIT_EVENTS_PIECE);
  EXPECT_THROW(read_trace(run_.path()), Error);
}

TEST_F(CompressedEvents, OfChunksThatAreLargerThanAPieceAreRefused) {
  for (const std::uint32_t chunk : {64U + 8, 2 * PLAIT_EVENTS_PIECE}) {
    Buffer plain = plain_;
    reinterpret_cast<plait_events_header*>(plain.data())->chunk_bytes = chunk;
    write(compressed_events(plain));
    EXPECT_THROW(read_trace(run_.path()), Error);
  }
}

}  // namespace
}  // namespace plait::trace
