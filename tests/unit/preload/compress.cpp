// SPDX-License-Identifier: BSD-3-Clause
// Tests of the compression of an event file in its process: what readers get, and that the file
// stays if there is no room.
#include "preload/trace/compress.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "preload/recorder.hpp"
#include "preload/trace/event_file.hpp"
#include "trace/event_bytes.hpp"

namespace plait::preload::trace {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<char>;

constexpr uint32_t kChunks = 9;  // more than two pieces

Bytes bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What the frames of a file expand to.
Bytes expanded(const fs::path& file) {
  plait::trace::EventBytes bytes(file);
  EXPECT_TRUE(bytes.compressed());
  Bytes all;
  for (std::uint64_t at = 0; at < bytes.size(); at += PLAIT_EVENTS_PIECE) {
    const auto piece =
        bytes.view(at, std::min<std::uint64_t>(PLAIT_EVENTS_PIECE, bytes.size() - at));
    const auto* const begin = reinterpret_cast<const char*>(piece.data());
    all.insert(all.end(), begin, begin + piece.size());
  }
  return all;
}

class Compress : public testing::Test {
protected:
  static void SetUpTestSuite() {
    folder_ = fs::path(::testing::TempDir()) / ("plait-compress-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    ::setenv("PLAIT_RECORDS", folder_.c_str(), 1);
    ASSERT_TRUE(open_record() && create_event_file(PLAIT_TRACE_FULL));
  }
  static void TearDownTestSuite() {
    std::error_code none;
    fs::remove_all(folder_, none);
  }

  /// Writes the file again.
  static void fill(const Bytes& content) {
    std::ofstream(event_file_path(), std::ios::binary | std::ios::trunc)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }

  static std::size_t files() {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  static inline fs::path folder_;
};

/// Of `size` bytes, the first half of each chunk is noise, and the rest unused.
Bytes chunks(std::size_t size) {
  Bytes content(size);
  std::uint32_t noise = 1;
  for (std::size_t i = 0; i < size; ++i) {
    noise = noise * 1664525 + 1013904223;
    if (i / 1024 % 256 < 128) content[i] = static_cast<char>(noise >> 24);
  }
  return content;
}

TEST_F(Compress, AFileThatDoesNotBecomeSmallerStays) {
  Bytes noise = chunks(128 << 10);
  fill(noise);
  compress_event_file();
  EXPECT_EQ(bytes_of(event_file_path()), noise);
  fill({});
  compress_event_file();
  EXPECT_EQ(fs::file_size(event_file_path()), 0U);
  EXPECT_EQ(files(), 2U);
}

TEST_F(Compress, AFileThatHasNoRoomStays) {
  const Bytes content = chunks(kChunks * kChunkBytes + 100);
  fill(content);
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit limited{content.size() / 4, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limited), 0);
  compress_event_file();  // would end by SIGXFSZ
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(bytes_of(event_file_path()), content);
  EXPECT_EQ(files(), 2U);
}

TEST_F(Compress, APartOfAnotherProcessStays) {
  const Bytes content = chunks(kChunkBytes);
  fill(content);
  const fs::path part = event_file_path() + std::string(".part");
  std::ofstream(part) << "somebody's";
  compress_event_file();
  EXPECT_EQ(bytes_of(event_file_path()), content);
  EXPECT_EQ(fs::file_size(part), 10U);
  fs::remove(part);
}

TEST_F(Compress, ReadersGetWhatTheFileHad) {
  for (const std::size_t size : {kChunks * kChunkBytes + 100UL, 2UL << 20, 300UL}) {
    Bytes content = size == 300 ? Bytes(size) : chunks(size);
    fill(content);
    struct stat was {
    }, is{};
    ASSERT_EQ(::stat(event_file_path(), &was), 0);
    compress_event_file();
    ASSERT_EQ(::stat(event_file_path(), &is), 0);
    EXPECT_LT(is.st_size, was.st_size * 3 / 4);
    EXPECT_EQ(is.st_mode, was.st_mode);
    EXPECT_EQ(expanded(event_file_path()), content);
    EXPECT_EQ(files(), 2U);
  }
  EXPECT_EQ(map_window(0), nullptr);
}

TEST_F(Compress, FramesOfEmptyRoomAreAsLargeAsReadersDemand) {
  const Bytes content(3 * PLAIT_EVENTS_PIECE);
  fill(content);
  compress_event_file();
  EXPECT_GE(fs::file_size(event_file_path()), content.size() / PLAIT_EVENTS_RATIO);
  EXPECT_LE(fs::file_size(event_file_path()), content.size() / PLAIT_EVENTS_RATIO + 100);
  EXPECT_EQ(expanded(event_file_path()), content);
}

}  // namespace
}  // namespace plait::preload::trace
