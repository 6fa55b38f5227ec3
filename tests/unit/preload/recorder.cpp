// SPDX-License-Identifier: BSD-3-Clause
// Tests of the record file: it grows with its contents, nothing moves or gets lost, and a reader
// finds all of it.
#include "preload/recorder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "preload/key_index.hpp"
#include "trace/rank_record.hpp"

namespace plait::preload {
namespace {

namespace fs = std::filesystem;

/// A process has one record: the tests share it, in their order.
class Recorder : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    folder() = fs::path(::testing::TempDir()) / ("plait-recorder-" + std::to_string(::getpid()));
    fs::create_directories(folder());
    ::setenv("PLAIT_RECORDS", folder().c_str(), 1);
    ASSERT_TRUE(open_record());
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }

  static fs::path& folder() {
    static fs::path path;
    return path;
  }
  static fs::path file() { return fs::directory_iterator(folder())->path(); }
};

TEST_F(Recorder, BeginsSmallUnderANameOfItsOwn) {
  EXPECT_LT(fs::file_size(file()), 200'000u);
  EXPECT_EQ(file().extension(), ".rec");
  EXPECT_NE(file().filename().string().find("-" + std::to_string(::getpid()) + "-"),
            std::string::npos);
  EXPECT_EQ(record->file_bytes, fs::file_size(file()));
}

TEST_F(Recorder, KeepsAnyNumberOfStringsOnce) {
  std::vector<uint32_t> places;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 50'000; ++i) {
      const uint32_t at = add_string(("name number " + std::to_string(i)).c_str());
      ASSERT_NE(at, 0u);
      if (round == 0) places.push_back(at);
      ASSERT_EQ(at, places[static_cast<std::size_t>(i)]);
    }
  }
  EXPECT_STREQ(entry_at<char>(PLAIT_SECTION_STRINGS, places[49'999]), "name number 49999");
  const std::string longer(40'000, 'x');  // than the first part of the table
  EXPECT_STREQ(entry_at<char>(PLAIT_SECTION_STRINGS, add_string(longer.c_str())), longer.c_str());
}

TEST_F(Recorder, NeverMovesAnEntry) {
  std::vector<plait_region_record*> entries;
  for (uint64_t i = 0; i < 10'000; ++i) {
    auto* region = static_cast<plait_region_record*>(append(PLAIT_SECTION_REGIONS));
    ASSERT_NE(region, nullptr);
    region->count = i;
    publish(PLAIT_SECTION_REGIONS);
    entries.push_back(region);
  }
  for (uint32_t i = 0; i < 10'000; ++i) {
    EXPECT_EQ(entry_at<plait_region_record>(PLAIT_SECTION_REGIONS, i), entries[i]);
    EXPECT_EQ(entries[i]->count, i);
  }
}

TEST_F(Recorder, KeepsARunOfEntriesInOnePiece) {
  uint32_t index = 0;
  for (const uint64_t entries : {3ULL, 700ULL, 5ULL, 100'000ULL}) {
    auto* runs = static_cast<plait_rank_run*>(append_run(PLAIT_SECTION_RANKS, entries, &index));
    ASSERT_NE(runs, nullptr);
    for (uint32_t i = 0; i < entries; ++i) runs[i].first = static_cast<int32_t>(index + i);
    publish(PLAIT_SECTION_RANKS, index + static_cast<uint32_t>(entries));
    for (uint32_t i = 0; i < entries; i += 97)
      ASSERT_EQ(entry_at<plait_rank_run>(PLAIT_SECTION_RANKS, index + i)->first,
                static_cast<int32_t>(index + i));
  }
}

TEST_F(Recorder, GivesZeroedPagesAtTheirOffset) {
  uint64_t offset = 0;
  auto* pages = static_cast<char*>(carve(1 << 20, &offset));
  ASSERT_NE(pages, nullptr);
  EXPECT_EQ(pages, reinterpret_cast<char*>(record) + offset);
  EXPECT_EQ(offset % 4096, 0u);
  for (int i = 0; i < 1 << 20; i += 4096) ASSERT_EQ(pages[i], 0);
}

TEST_F(Recorder, IsTrimmedAndReadAsAWhole) {
  record->world_rank = 0;
  record->world_size = 1;
  lose_entry(PLAIT_SECTION_REGIONS);
  trim_record();
  EXPECT_EQ(record->file_bytes, fs::file_size(file()));
  EXPECT_LT(fs::file_size(file()), 8u << 20);
  uint64_t offset = 0;
  EXPECT_EQ(carve(1, &offset), nullptr) << "nothing is added to a trimmed file";
  const trace::RankRecord read = trace::read_record(file());
  ASSERT_EQ(read.regions.size(), 10'000u);
  EXPECT_EQ(read.regions[9'999].count, 9'999u);
  ASSERT_EQ(read.notes.size(), 1u);
  EXPECT_EQ(read.notes[0], "user regions are missing (1), because the record could not grow");
  EXPECT_EQ(read.pid, ::getpid());
  EXPECT_NE(read.boot, 0u);
  EXPECT_NE(read.pid_namespace, 0u);
}

TEST(KeyIndex, FindsWhatWasAdded) {
  static KeyIndex index;
  EXPECT_EQ(index.find(0), KeyIndex::kAbsent);
  for (uint64_t key = 0; key < 100'000; ++key)
    ASSERT_TRUE(index.add(key << 40, static_cast<uint32_t>(key)));
  for (uint64_t key = 0; key < 100'000; ++key) ASSERT_EQ(index.find(key << 40), key);
  EXPECT_EQ(index.find(1), KeyIndex::kAbsent);
}

}  // namespace
}  // namespace plait::preload
