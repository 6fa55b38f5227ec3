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

  /// A file with one operation in OPS.
  static std::string made() {
    std::string bytes(4096 + sizeof(plait_check_op), '\0');
    plait_check_header header{};
    header.magic = PLAIT_CHECK_MAGIC;
    header.version = PLAIT_CHECK_VERSION;
    header.header_bytes = sizeof header;
    header.sections[PLAIT_CHECK_OPS] = {4096, 10, 1, sizeof(plait_check_op), 0};
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
  }

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

TEST_F(Files, SectionsAreRead) {
  const CheckFile file(write(made()));
  EXPECT_EQ(file.section<plait_check_op>(PLAIT_CHECK_OPS).size(), 1U);
  EXPECT_TRUE(file.section<plait_check_comm>(PLAIT_CHECK_COMMS).empty());
}

TEST_F(Files, EntriesBeyondTheEndAreSkipped) {
  std::string bytes = made();
  bytes.resize(bytes.size() - 1);
  const CheckFile file(write(bytes));
  EXPECT_TRUE(file.section<plait_check_op>(PLAIT_CHECK_OPS).empty());
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
