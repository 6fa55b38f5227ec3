// SPDX-License-Identifier: BSD-3-Clause
// Check files that are damaged, of another format or of another version.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string>

#include "check/check_file.hpp"
#include "check/job.hpp"
#include "plait/error.hpp"

namespace plait::check {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
protected:
  Files() {
    folder_ = fs::path(::testing::TempDir()) /
              ("plait-check-" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::create_directories(folder_);
  }
  ~Files() override { fs::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  /// A file with an operation in the first block and the last one of three, and a communicator in
  /// the one between.
  static std::string made() {
    plait_check_header header{};
    header.magic = PLAIT_CHECK_MAGIC;
    header.version = PLAIT_CHECK_VERSION;
    header.header_bytes = sizeof header;
    header.block_bytes = PLAIT_CHECK_BLOCK_BYTES;
    header.blocks = 3;
    header.owners[0] = header.owners[2] = PLAIT_CHECK_OPS;
    header.owners[1] = PLAIT_CHECK_COMMS;
    header.sections[PLAIT_CHECK_OPS] = {kOps, sizeof(plait_check_op), 0};
    header.sections[PLAIT_CHECK_COMMS] = {1, sizeof(plait_check_comm), 0};
    std::string bytes(sizeof header, '\0');
    std::memcpy(bytes.data(), &header, sizeof header);
    std::string ops(kOps * sizeof(plait_check_op), '\0');
    for (std::size_t i = 0; i < kOps; ++i) ops[i * sizeof(plait_check_op)] = static_cast<char>(i);
    ops.resize(2 * std::size_t{PLAIT_CHECK_BLOCK_BYTES});
    return bytes + ops.substr(0, PLAIT_CHECK_BLOCK_BYTES) +
           std::string(PLAIT_CHECK_BLOCK_BYTES, '\x07') + ops.substr(PLAIT_CHECK_BLOCK_BYTES);
  }
  /// Some in each of two blocks; one is in both.
  static constexpr std::size_t kOps = PLAIT_CHECK_BLOCK_BYTES / sizeof(plait_check_op) + 10;

  [[nodiscard]] fs::path write(const std::string& bytes) const {
    const fs::path file = folder_ / "host-1.chk";
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }

  [[nodiscard]] static std::string error_of(const fs::path& file) {
    try {
      const CheckFile opened(file);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

TEST_F(Files, TheBlocksOfASectionFollowEachOther) {
  const CheckFile file(write(made()));
  const auto ops = file.section<plait_check_op>(PLAIT_CHECK_OPS);
  ASSERT_EQ(ops.size(), kOps);
  for (std::size_t i = 0; i < kOps; ++i) EXPECT_EQ(ops[i].kind, static_cast<std::uint8_t>(i)) << i;
  ASSERT_EQ(file.section<plait_check_comm>(PLAIT_CHECK_COMMS).size(), 1U);
  EXPECT_EQ(file.section<plait_check_comm>(PLAIT_CHECK_COMMS)[0].record, 0x07070707U);
  EXPECT_TRUE(file.section<plait_check_type>(PLAIT_CHECK_TYPES).empty());
}

TEST_F(Files, ASectionGrowsWhileItIsRead) {
  std::string bytes = made();
  auto* header = reinterpret_cast<plait_check_header*>(bytes.data());
  header->blocks = 1;
  const fs::path path = write(bytes);
  const CheckFile file(path);
  const auto before = file.section<plait_check_op>(PLAIT_CHECK_OPS);
  EXPECT_EQ(before.size(), PLAIT_CHECK_BLOCK_BYTES / sizeof(plait_check_op));
  header->blocks = 3;
  std::fstream(path, std::ios::binary | std::ios::in | std::ios::out) << bytes;
  EXPECT_EQ(file.section<plait_check_op>(PLAIT_CHECK_OPS).size(), kOps);
  EXPECT_EQ(before[5].kind, 5);
}

TEST_F(Files, BlocksBeyondTheEndAreSkipped) {
  std::string bytes = made();
  bytes.resize(bytes.size() - 1);
  const CheckFile file(write(bytes));
  EXPECT_EQ(file.section<plait_check_op>(PLAIT_CHECK_OPS).size(),
            PLAIT_CHECK_BLOCK_BYTES / sizeof(plait_check_op));
}

TEST_F(Files, BlocksOfAnOddSizeAreRefused) {
  std::string bytes = made();
  for (const std::uint64_t size : {0ULL, 1ULL, 4096ULL, 3ULL * PLAIT_CHECK_BLOCK_BYTES}) {
    reinterpret_cast<plait_check_header*>(bytes.data())->block_bytes = size;
    EXPECT_NE(error_of(write(bytes)).find("not a check file"), std::string::npos) << size;
  }
}

TEST_F(Files, EntriesOfAnotherSizeAreSkipped) {
  std::string bytes = made();
  auto* header = reinterpret_cast<plait_check_header*>(bytes.data());
  header->sections[PLAIT_CHECK_OPS].entry_bytes = 8;
  const CheckFile file(write(bytes));
  EXPECT_TRUE(file.section<plait_check_op>(PLAIT_CHECK_OPS).empty());
}

TEST_F(Files, AnotherVersionIsRefusedInOneSentence) {
  std::string bytes = made();
  reinterpret_cast<plait_check_header*>(bytes.data())->version = 99;
  EXPECT_NE(error_of(write(bytes)).find("has version 99"), std::string::npos);
}

TEST_F(Files, OtherFilesAreRefused) {
  EXPECT_NE(error_of(write("hello")).find("not a check file"), std::string::npos);
  EXPECT_NE(error_of(write(std::string(8192, 'x'))).find("not a check file"), std::string::npos);
  EXPECT_NE(error_of(folder_ / "absent.chk").find("cannot be read"), std::string::npos);
}

TEST_F(Files, AJobNamesWhatItCannotRead) {
  static_cast<void>(write("hello"));
  const Job job = read_job(folder_);
  EXPECT_TRUE(job.processes.empty());
  ASSERT_EQ(job.notes.size(), 1U);
  EXPECT_NE(job.notes[0].find("not a check file"), std::string::npos);
}

}  // namespace
}  // namespace plait::check
