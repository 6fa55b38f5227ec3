// SPDX-License-Identifier: BSD-3-Clause
// The spool: a folder of its own for each run, from which only own files are copied, with holes.
#include "run/spool.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "base/json_file.hpp"
#include "plait/error.hpp"

namespace plait::run {
namespace {

namespace fs = std::filesystem;

class SpoolTest : public testing::Test {
protected:
  void SetUp() override { fs::create_directories(records_); }
  void TearDown() override { fs::remove_all(base_); }
  fs::path base_ = fs::path(testing::TempDir()) / ("plait_spool_" + std::to_string(::getpid()));
  fs::path records_ = base_ / "records";
};

TEST_F(SpoolTest, TwoRunsOfOneNameHaveTwoFolders) {
  const Spool a(base_ / "fast", "run"), b(base_ / "fast", "run");
  EXPECT_NE(a.path(), b.path());
  struct stat made {};
  ASSERT_EQ(::stat(a.path().c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 07777, 0700U);
  EXPECT_EQ(a.path().filename().string().rfind("plait-run-", 0), 0U) << a.path();
}

TEST_F(SpoolTest, AnEmptyFolderIsRemoved) {
  fs::path path;
  {
    const Spool spool(base_ / "fast", std::string(300, 'x'));
    path = spool.path();
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(SpoolTest, WithoutAFolderThereIsNone) {
  const Spool none("", "run");
  EXPECT_EQ(none.path(), "");
  EXPECT_TRUE(none.empty_into(records_).empty());
  EXPECT_THROW(Spool("/proc/plait-spool", "run"), Error);
}

TEST_F(SpoolTest, FilesAreMovedWithTheirHoles) {
  const Spool spool(base_ / "fast", "run");
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
  EXPECT_TRUE(fs::is_empty(spool.path()));
}

TEST_F(SpoolTest, LinksAndPipesStayAndAreReported) {
  const Spool spool(base_ / "fast", "run");
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
  const Spool spool(base_ / "fast", "run");
  std::ofstream(spool.path() / "h-1.rec") << "new";
  std::ofstream(base_ / "precious") << "keep me";
  fs::create_symlink(base_ / "precious", records_ / "h-1.rec");
  const auto problems = spool.empty_into(records_);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems[0].find("copy it by hand"), problems[0].npos) << problems[0];
  EXPECT_EQ(read_text_file(base_ / "precious"), "keep me");
  EXPECT_EQ(read_text_file(spool.path() / "h-1.rec"), "new");
}

}  // namespace
}  // namespace plait::run
