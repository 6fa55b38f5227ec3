// SPDX-License-Identifier: BSD-3-Clause
// The spool: a folder of its own for each run, from which only own files are copied, with holes.
#include "run/spool.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "base/json_file.hpp"
#include "plait/error.hpp"
#include "trace/container.hpp"

namespace plait::run {
namespace {

namespace fs = std::filesystem;

class SpoolTest : public testing::Test {
protected:
  void SetUp() override { fs::create_directories(records_); }
  void TearDown() override { fs::remove_all(base_); }
  fs::path base_ = fs::path(testing::TempDir()) / ("plait_spool_" + std::to_string(::getpid()));
  fs::path run_ = base_;
  fs::path records_ = run_ / "records";
};

TEST_F(SpoolTest, TwoRunsOfOneNameHaveTwoFolders) {
  const Spool a(base_ / "fast", "run", run_), b(base_ / "fast", "run", run_);
  EXPECT_NE(a.path(), b.path());
  struct stat made {};
  ASSERT_EQ(::stat(a.path().c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 07777, 0700U);
  EXPECT_EQ(a.path().filename().string().rfind("plait-run-", 0), 0U) << a.path();
}

TEST_F(SpoolTest, AnEmptyFolderIsRemoved) {
  fs::path path;
  {
    const Spool spool(base_ / "fast", std::string(300, 'x'), run_);
    path = spool.path();
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(SpoolTest, WithoutAFolderThereIsNone) {
  const Spool none("", "run", run_);
  EXPECT_EQ(none.path(), "");
  EXPECT_TRUE(none.empty_into(records_).empty());
  EXPECT_THROW(Spool("/proc/plait-spool", "run", run_), Error);
}

TEST_F(SpoolTest, FilesAreMovedWithTheirHoles) {
  const Spool spool(base_ / "fast", "run", run_);
  const fs::path file = spool.path() / "h-1.rec";
  std::ofstream(file) << "begin";
  fs::resize_file(file, 1 << 24);
  std::ofstream(file, std::ios::in | std::ios::out | std::ios::ate) << "end";
  const std::string content = read_text_file(file);
  EXPECT_TRUE(spool.empty_into(records_).empty());
  EXPECT_EQ(read_text_file(records_ / "h-1.rec"), content);
  struct stat copied {};
  ASSERT_EQ(::stat((records_ / "h-1.rec").c_str(), &copied), 0);
  EXPECT_LT(copied.st_blocks * 512, 1 << 20);
  EXPECT_FALSE(fs::exists(spool.path() / "h-1.rec"));
}

TEST_F(SpoolTest, LinksAndPipesStayAndAreReported) {
  const Spool spool(base_ / "fast", "run", run_);
  std::ofstream(base_ / "precious") << "keep me";
  fs::create_symlink(base_ / "precious", spool.path() / "link.rec");
  ASSERT_EQ(::mkfifo((spool.path() / "pipe.rec").c_str(), 0600), 0);
  const auto problems = spool.empty_into(records_);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems[0].find("ignored 2 entries"), problems[0].npos) << problems[0];
  EXPECT_TRUE(fs::is_empty(records_));
  fs::remove(spool.path() / "link.rec");
  fs::remove(spool.path() / "pipe.rec");
}

TEST_F(SpoolTest, AFileThatCannotBeCopiedStaysAndIsReported) {
  const Spool spool(base_ / "fast", "run", run_);
  std::ofstream(spool.path() / "h-1.rec") << "new";
  std::ofstream(base_ / "precious") << "keep me";
  fs::create_symlink(base_ / "precious", records_ / "h-1.rec");
  const auto problems = spool.empty_into(records_);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems[0].find("run plait collect"), problems[0].npos) << problems[0];
  EXPECT_EQ(read_text_file(base_ / "precious"), "keep me");
  EXPECT_EQ(read_text_file(spool.path() / "h-1.rec"), "new");
}

/// A spool that a killed process left, with one file.
fs::path left_behind(const fs::path& base, const fs::path& run) {
  const pid_t child = ::fork();
  if (child == 0) {
    const Spool spool(base, "run", run);
    std::ofstream(spool.path() / "h-1.rec") << "record";
    ::_exit(0);  // without destructors
  }
  ::waitpid(child, nullptr, 0);
  return fs::directory_iterator(base)->path();
}

TEST_F(SpoolTest, WhatAKilledRunLeftIsCollected) {
  const fs::path spool = left_behind(base_ / "fast", run_);
  EXPECT_EQ(collect_spools(base_ / "fast", base_ / "another", records_).spools, 0U);
  EXPECT_TRUE(fs::exists(spool / "h-1.rec"));
  const Collected collected = collect_spools(base_ / "fast", base_ / "." / "", records_);
  EXPECT_EQ(collected.spools, 1U);
  EXPECT_EQ(collected.files, 1U);
  EXPECT_TRUE(collected.problems.empty());
  EXPECT_EQ(read_text_file(records_ / "h-1.rec"), "record");
  EXPECT_FALSE(fs::exists(spool));
  EXPECT_EQ(collect_spools(base_ / "missing", run_, records_).spools, 0U);
}

TEST_F(SpoolTest, WhatAKilledRunLeftIsStoredInAContainer) {
  const fs::path spool = left_behind(base_ / "fast", run_);
  const fs::path file = base_ / "n1.records";
  const int to = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  EXPECT_EQ(store_spools(base_ / "fast", base_ / "another", to, "n1").spools, 0U);
  EXPECT_EQ(fs::file_size(file), 0U);
  const Collected collected = store_spools(base_ / "fast", run_, to, "n1");
  ::close(to);
  EXPECT_EQ(collected.spools, 1U);
  EXPECT_EQ(collected.files, 1U);
  EXPECT_TRUE(collected.problems.empty());
  EXPECT_EQ(trace::record_file_text(file / "h-1.rec"), "record");
  EXPECT_FALSE(fs::exists(spool));
}

TEST_F(SpoolTest, ASpoolThatCannotBeStoredStays) {
  const fs::path spool = left_behind(base_ / "fast", run_);
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  EXPECT_THROW(store_spools(base_ / "fast", run_, full, "n1"), Error);
  ::close(full);
  EXPECT_EQ(read_text_file(spool / "h-1.rec"), "record");
}

TEST_F(SpoolTest, ASpoolInUseIsLeftAlone) {
  const Spool spool(base_ / "fast", "run", run_);
  std::ofstream(spool.path() / "h-1.rec") << "record";
  const Collected collected = collect_spools(base_ / "fast", run_, records_);
  EXPECT_EQ(collected.files, 0U);
  ASSERT_EQ(collected.problems.size(), 1U);
  EXPECT_NE(collected.problems[0].find("has not ended"), std::string::npos);
  EXPECT_TRUE(spool.empty_into(records_).empty());
}

TEST_F(SpoolTest, ASpoolWhoseRecordIsMappedIsLeftAlone) {
  const fs::path spool = left_behind(base_ / "fast", run_);
  const int file = ::open((spool / "h-1.rec").c_str(), O_RDONLY | O_CLOEXEC);
  void* mapped = ::mmap(nullptr, 1, PROT_READ, MAP_SHARED, file, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  EXPECT_EQ(collect_spools(base_ / "fast", run_, records_).problems.size(), 1U);
  ::munmap(mapped, 1);
  ::close(file);
  EXPECT_EQ(collect_spools(base_ / "fast", run_, records_).files, 1U);
}

}  // namespace
}  // namespace plait::run
