// SPDX-License-Identifier: BSD-3-Clause
// OpenMP runtimes are found where the dynamic linker looks, and those with OMPT are known.
#include "run/runtimes.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace plait::run {
namespace {

namespace fs = std::filesystem;

class OmpRuntimes : public testing::Test {
protected:
  void SetUp() override {
    fs::create_directories(base_);
    ::setenv("LD_LIBRARY_PATH", base_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("LD_LIBRARY_PATH");
    fs::remove_all(base_);
  }
  std::string add(const std::string& name, const std::string& bytes) const {
    std::ofstream(base_ / name) << bytes;
    return base_ / name;
  }
  static std::vector<OmpRuntime> at(const std::string& path) {
    std::vector<OmpRuntime> all = find_omp_runtimes();
    std::erase_if(all, [&](const OmpRuntime& runtime) { return runtime.path != path; });
    return all;
  }

  fs::path base_ = fs::path(testing::TempDir()) / ("plait_omp_" + std::to_string(::getpid()));
};

TEST_F(OmpRuntimes, OneThatLooksUpAToolHasOmpt) {
  const std::string gomp = add("libgomp.so.1", "GOMP_parallel");
  const std::string omp = add("libomp.so.5", "__kmpc_fork_call ompt_start_tool");
  ASSERT_EQ(at(gomp).size(), 1U);
  EXPECT_EQ(at(gomp)[0].name, "libgomp");
  EXPECT_FALSE(at(gomp)[0].ompt);
  ASSERT_EQ(at(omp).size(), 1U);
  EXPECT_EQ(at(omp)[0].name, "libomp");
  EXPECT_TRUE(at(omp)[0].ompt);
}

TEST_F(OmpRuntimes, AFileWithTwoNamesIsListedOnce) {
  const std::string omp = add("libomp.so.5", "ompt_start_tool");
  fs::create_symlink(omp, base_ / "libomp.so");
  EXPECT_EQ(at(omp).size(), 1U);
  EXPECT_TRUE(at(base_ / "libomp.so").empty());
}

TEST_F(OmpRuntimes, AReplacementForLibgompHasOmpt) {
  add("libgomp.so.1", "ompt_start_tool");  // not a replacement, whatever it contains
  add("libomp.so.5", "without a tool's interface");
  const std::string intel = add("libiomp5.so", "ompt_start_tool");
  EXPECT_EQ(find_llvm_openmp(), intel);
}

}  // namespace
}  // namespace plait::run
