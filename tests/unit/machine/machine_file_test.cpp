// SPDX-License-Identifier: BSD-3-Clause
// The machine file: it reads what it writes, and refuses bad files with a clear message.
#include "machine/machine_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "base/failure.hpp"
#include "base/json.hpp"
#include "machine/open_machine.hpp"
#include "plait/error.hpp"

namespace plait::machine {
namespace {

namespace fs = std::filesystem;

class MachineFileTest : public testing::Test {
protected:
  void SetUp() override {
    path_ = fs::temp_directory_path() /
            ("plait-machine-" + std::to_string(::getpid()) + "-" +
             testing::UnitTest::GetInstance()->current_test_info()->name() + ".json");
  }
  void TearDown() override { fs::remove(path_); }

  void write(const nlohmann::json& json) { std::ofstream(path_) << json; }

  /// The error message from loading the file; "" without an error.
  std::string error() {
    try {
      load(path_);
    } catch (const Error& problem) {
      EXPECT_EQ(exit_code_of(problem), 2);
      return std::string(problem.what()).substr(path_.string().size());
    }
    return "";
  }

  fs::path path_;
};

TEST_F(MachineFileTest, ReadsWhatItWrites) {
  for (const NamedMachine& known : list_machines()) {
    const MachineFile file = open_machine(known.name);
    save(path_, file);
    EXPECT_EQ(load(path_), file) << known.name;
  }
}

TEST_F(MachineFileTest, KeepsEveryKindOfMeasurement) {
  const MachineFile file = open_machine("measured-example");
  ASSERT_TRUE(file.measured);
  EXPECT_EQ(file.measured->stream.size(), 32U);
  EXPECT_EQ(file.measured->jacobi.size(), 8U);
  ASSERT_EQ(file.measured->paths.size(), 3U);
  const Path& l3 = file.measured->paths[1];
  EXPECT_EQ(l3.id, "l3");
  EXPECT_FALSE(l3.mpi_pingpong.empty() || l3.mpi_pingping.empty() || l3.mpi_multi_pair.empty() ||
               l3.mpi_pingpong_off_cache.empty() || l3.bare_memcpy.empty() || l3.by_pair.empty());
  EXPECT_TRUE(l3.bare_line_us && l3.by_pair[0].bare_line_us);
  EXPECT_TRUE(file.measured->sentinel && file.measured->sentinel->changed);
}

// Stengel 2010, section 2.1.
TEST_F(MachineFileTest, TownsendHasTheFiguresOfThePaper) {
  const MachineFile file = open_machine("townsend");
  ASSERT_TRUE(file.measured);
  ASSERT_EQ(file.measured->jacobi.size(), 2U);
  EXPECT_EQ(file.measured->jacobi[0].mlups.median, 177);
  EXPECT_EQ(file.measured->jacobi[1].mlups.median, 198);
  const Path& network = file.measured->paths.at(0);
  EXPECT_EQ(network.mpi_pingping[0].time_us.median, 50);
  EXPECT_EQ(network.mpi_multi_pair_pingping[0].bandwidth_gbs.median, 0.085);
  EXPECT_EQ(network.mpi_multi_pair_pingping[1].bandwidth_gbs.median, 0.09);
}

TEST_F(MachineFileTest, RefusesAMissingFile) {
  EXPECT_EQ(error(), ": cannot be read (No such file or directory); check the path");
}

TEST_F(MachineFileTest, RefusesATruncatedFile) {
  std::ofstream(path_) << nlohmann::json(open_machine("clovertown")).dump().substr(0, 500);
  EXPECT_EQ(error(), ": damaged: not JSON (line 1); write it again with plait measure");
}

TEST_F(MachineFileTest, RefusesAnotherVersion) {
  nlohmann::json json = open_machine("clovertown");
  json["schema_version"] = 2;
  write(json);
  EXPECT_EQ(error(),
            ": has plait-machine version 2, but this Plait reads version 1; write it again with "
            "this Plait");
}

TEST_F(MachineFileTest, RefusesAnotherKindOfFile) {
  write({{"schema", "plait-profile"}, {"schema_version", 1}});
  EXPECT_EQ(error(), ": not a plait-machine file; check the path");
}

TEST_F(MachineFileTest, NamesTheMissingPart) {
  nlohmann::json json = open_machine("clovertown");
  json["topology"].erase("caches");
  write(json);
  EXPECT_EQ(error(), ": damaged: key 'caches' not found; write it again with plait measure");
}

TEST_F(MachineFileTest, RefusesAWrongTypeAndABadThreadList) {
  nlohmann::json json = open_machine("clovertown");
  json["topology"]["cores"] = "eight";
  write(json);
  EXPECT_NE(error().find("damaged: type must be array"), std::string::npos) << error();
  json = open_machine("clovertown");
  json["topology"]["allowed_pus"] = "all";
  write(json);
  EXPECT_EQ(error(), ": damaged: \"all\": not a list of hardware threads; write it like 0-3,8");
}

TEST_F(MachineFileTest, RefusesAFolderThatCannotBeWritten) {
  EXPECT_THROW(save("/proc/none/machine.json", open_machine("bare")), Error);
}

TEST(UtcNow, IsAnIsoDate) {
  const std::string now = utc_now();
  ASSERT_EQ(now.size(), 20U);
  EXPECT_EQ(now[10], 'T');
  EXPECT_EQ(now.back(), 'Z');
}

}  // namespace
}  // namespace plait::machine
