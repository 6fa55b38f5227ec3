// SPDX-License-Identifier: BSD-3-Clause
// The folder of a user's clusters: no other user may enter it.
#include "cluster/state.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/json_file.hpp"
#include "plait/error.hpp"

namespace plait::cluster {
namespace {

namespace fs = std::filesystem;

class ClustersFolder : public testing::Test {
protected:
  void SetUp() override {
    fs::create_directories(base_);
    ::setenv("XDG_RUNTIME_DIR", base_.c_str(), 1);
  }
  void TearDown() override { fs::remove_all(base_); }
  fs::path base_ = fs::path(testing::TempDir()) / ("plait_state_" + std::to_string(::getpid()));
};

TEST_F(ClustersFolder, IsForThisUserAlone) {
  EXPECT_EQ(clusters_folder(), base_ / "plait/clusters");
  struct stat made {};
  ASSERT_EQ(::stat(clusters_folder().c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 07777, 0700U);
}

TEST_F(ClustersFolder, AnOpenOneIsRefused) {
  fs::create_directory(base_ / "plait");
  fs::permissions(base_ / "plait", fs::perms::all);
  EXPECT_THROW(clusters_folder(), Error);
}

TEST_F(ClustersFolder, ALinkIsRefused) {
  fs::create_directory(base_ / "other");
  fs::create_directory_symlink(base_ / "other", base_ / "plait");
  EXPECT_THROW(clusters_folder(), Error);
}

TEST_F(ClustersFolder, IsNotInTheRuntimeFolderOfAnotherUser) {
  constexpr uid_t kOther = 65534;
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(::chown(base_.c_str(), kOther, kOther), 0);
  EXPECT_EQ(clusters_folder(), "/tmp/plait-0/clusters");
  EXPECT_TRUE(fs::is_empty(base_));
}

TEST_F(ClustersFolder, TheBurstOfAClusterIsKeptAndMayBeMissing) {
  Cluster cluster;
  cluster.folder = base_;
  cluster.request.name = "a";
  cluster.request.bytes_per_second = 1e8;
  cluster.request.burst_bytes = 2e5;
  save(cluster);
  EXPECT_EQ(load(base_).request.burst_bytes, 2e5);

  const fs::path file = base_ / "cluster.json";
  nlohmann::json document = read_json_file(file, kSchema, kSchemaVersion);
  document.at("clusters").at(0).erase("burst_bytes");  // as earlier versions wrote it
  write_json_file(file, document);
  EXPECT_EQ(load(base_).request.burst_bytes, 0);
  EXPECT_EQ(load(base_).request.bytes_per_second, 1e8);
}

}  // namespace
}  // namespace plait::cluster
