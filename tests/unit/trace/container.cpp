// SPDX-License-Identifier: BSD-3-Clause
// Containers of records: whatever reads loose files reads members, and damage stays within its
// file.
#include "trace/container.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "plait/error.hpp"
#include "synthetic_events.hpp"
#include "trace/pack.hpp"
#include "trace/rank_record.hpp"
#include "trace/trace.hpp"
#include "trace/trace_files.hpp"

namespace plait::trace {
namespace {

namespace fs = std::filesystem;
using test::RunFolder;
using test::SyntheticEvents;

constexpr int kRanks = 3;

class Container : public testing::Test {
protected:
  /// Three ranks of one host, each with a record and one event.
  void SetUp() override {
    for (int rank = 0; rank < kRanks; ++rank) {
      SyntheticEvents process(rank, kRanks, "node-a");
      process.file_name += "-0000000" + std::to_string(rank);
      const auto call = process.shape(PLAIT_EVENT_OTHER);
      process.chunk(0, 3000);
      process.event(call, 10, 20);
      process.finish();
      process.write(run_.path());
    }
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(records_)) {
      found.push_back(entry.path().filename().string());
    }
    std::ranges::sort(found);
    return found;
  }

  /// Moves all files into one container.
  void store() { ASSERT_TRUE(store_records(records_, 1).empty()); }

  [[nodiscard]] plait_container_member member(const std::string& name) const {
    for (const plait_container_member& one : container_members(container_)) {
      if (name == one.name) return one;
    }
    return {};
  }

  void flip(std::uint64_t offset) const {
    std::fstream file(container_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(static_cast<std::streamoff>(offset));
    const auto byte = static_cast<char>(file.get() ^ 1);
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(byte);
  }

  RunFolder run_{"container"};
  fs::path records_ = run_.path() / "records";
  fs::path container_ = records_ / "node-a-100-00000000.records";
  std::vector<std::string> problems_;
};

TEST_F(Container, ReadersOfRecordsAndEventsReadMembers) {
  const auto loose = read_records(records_, nullptr);
  const Trace loose_trace = read_trace(run_.path());
  store();
  EXPECT_EQ(names(), std::vector<std::string>{container_.filename().string()});
  const auto stored = read_records(records_, &problems_);
  EXPECT_TRUE(problems_.empty());
  ASSERT_EQ(stored.size(), loose.size());
  EXPECT_EQ(stored[2].world_rank, 2);
  EXPECT_EQ(stored[2].pid, loose[2].pid);
  const Trace trace = read_trace(run_.path());
  ASSERT_EQ(trace.ranks.size(), loose_trace.ranks.size());
  EXPECT_EQ(trace.ranks[1].streams[0].events.size(), loose_trace.ranks[1].streams[0].events.size());
  EXPECT_TRUE(trace.problems.empty());
}

TEST_F(Container, AHostWithFewFilesKeepsThem) {
  EXPECT_TRUE(store_records(records_, 6).empty());
  EXPECT_EQ(names().size(), 6u);
}

TEST_F(Container, PackedEventsAreRemovedFromIt) {
  store();
  const PackResult packed = pack_trace(run_.path(), [](std::size_t, std::size_t) {});
  EXPECT_EQ(packed.files, 3u);
  EXPECT_GT(packed.raw_bytes, 0u);
  EXPECT_TRUE(raw_event_files(run_.path()).empty());
  EXPECT_EQ(container_members(container_).size(), 3u);
  EXPECT_EQ(read_records(records_, nullptr).size(), 3u);
}

TEST_F(Container, AFileThatIsAlsoLooseCountsOnce) {
  const fs::path twice = records_ / "node-a-101-00000001.rec", kept = run_.path() / "kept";
  fs::copy_file(twice, kept);
  store();
  fs::copy_file(kept, twice);
  EXPECT_EQ(read_records(records_, nullptr).size(), 3u);
}

TEST_F(Container, ADamagedRecordLeavesTheOthers) {
  store();
  flip(member("node-a-101-00000001.rec").offset + 100);
  EXPECT_EQ(read_records(records_, &problems_).size(), 2u);
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_NE(problems_[0].find("node-a-101-00000001.rec: damaged"), std::string::npos);
}

TEST_F(Container, DamagedEventsLeaveTheOthers) {
  store();
  const plait_container_member damaged = member("node-a-101-00000001.evt");
  flip(damaged.offset);  // the magic number
  EXPECT_EQ(read_records(records_, &problems_).size(), 3u);
  EXPECT_TRUE(problems_.empty());
  const Trace trace = read_trace(run_.path());
  EXPECT_EQ(std::ranges::count_if(trace.problems,
                                  [](const std::string& problem) {
                                    return problem.find("node-a-101-00000001.evt") !=
                                           std::string::npos;
                                  }),
            1);
  EXPECT_EQ(trace.ranks[2].streams[0].events.size(), 1u);
}

TEST_F(Container, ARecordOfAnotherVersionLeavesTheOthers) {
  const std::uint32_t version = PLAIT_RECORD_VERSION + 1;
  std::fstream file(records_ / "node-a-101-00000001.rec",
                    std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(offsetof(plait_record_header, version));
  file.write(reinterpret_cast<const char*>(&version), sizeof version);
  file.close();
  store();
  EXPECT_EQ(read_records(records_, &problems_).size(), 2u);
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_NE(problems_[0].find("has record version"), std::string::npos);
}

TEST_F(Container, OneThatIsCutOffOrDamagedIsOneProblem) {
  store();
  const auto whole = fs::file_size(container_);
  const auto expect_problem = [&](const std::string& reason) {
    problems_.clear();
    EXPECT_TRUE(read_records(records_, &problems_).empty());
    ASSERT_EQ(problems_.size(), 1u);
    EXPECT_NE(problems_[0].find(container_.string()), std::string::npos);
    EXPECT_NE(problems_[0].find(reason), std::string::npos) << problems_[0];
  };
  flip(whole - sizeof(plait_container_trailer) - 1);
  expect_problem("its index has another checksum");
  fs::resize_file(container_, whole - 1);
  expect_problem("it is cut off after");
  fs::resize_file(container_, 20);
  expect_problem("it is cut off within its header");
  flip(0);
  expect_problem("not a container");
}

}  // namespace
}  // namespace plait::trace
