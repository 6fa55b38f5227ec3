// SPDX-License-Identifier: BSD-3-Clause
// `--machine SPEC`: the local node, files, synthetic descriptions, names.
#include "machine/open_machine.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/failure.hpp"
#include "base/json_file.hpp"
#include "base/user_data.hpp"
#include "machine/discover.hpp"
#include "plait/error.hpp"

namespace plait::machine {
namespace {

const std::string kMachines = PLAIT_TEST_DATA "/machines/";

std::string error(const std::string& spec) {
  try {
    open_machine(spec);
  } catch (const Error& problem) {
    EXPECT_EQ(exit_code_of(problem), 2);
    return problem.what();
  }
  return "";
}

/// Replaces the user's stored machine files by an empty folder.
class ThisNode : public testing::Test {
protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "plait-data-" + std::to_string(::getpid()) + "-" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    ::setenv("XDG_DATA_HOME", folder_.c_str(), 1);
    local_ = discover_local();
    stored_ = machine_file_of_host(local_.host);
    std::filesystem::create_directories(stored_.parent_path());
  }
  void TearDown() override {
    ::unsetenv("XDG_DATA_HOME");
    std::filesystem::remove_all(folder_);
  }

  std::string folder_;
  MachineFile local_;
  std::filesystem::path stored_;
};

TEST_F(ThisNode, IsAsHwlocReportsIt) {
  const MachineFile file = open_machine();
  EXPECT_EQ(file.topology.cores, local_.topology.cores);
  EXPECT_EQ(file.topology.allowed_pus, local_.topology.allowed_pus);
  EXPECT_FALSE(file.measured);
}

TEST_F(ThisNode, IncludesItsStoredMeasurements) {
  MachineFile measured = local_;
  measured.origin = "measured";
  measured.created = "2001-02-03T04:05:06Z";
  measured.measured = open_machine("measured-example").measured;
  save(stored_, measured);
  const MachineFile file = open_machine();
  EXPECT_EQ(file.measured, measured.measured);
  EXPECT_EQ(file.origin, "measured");
  EXPECT_EQ(file.created, measured.created);
}

TEST_F(ThisNode, IgnoresMeasurementsOfOtherHardwareAndSaysSo) {
  save(stored_, open_machine("measured-example"));
  const MachineFile file = open_machine();
  EXPECT_FALSE(file.measured);
  ASSERT_FALSE(file.notes.empty());
  EXPECT_NE(file.notes.back().find("describes other hardware"), std::string::npos);
}

TEST_F(ThisNode, IgnoresADamagedFileAndSaysSo) {
  write_text_file(stored_, "rubbish");
  const MachineFile file = open_machine();
  EXPECT_FALSE(file.measured);
  ASSERT_FALSE(file.notes.empty());
  EXPECT_NE(file.notes.back().find("damaged"), std::string::npos);
}

TEST(OpenMachine, TakesFilesOfBothKinds) {
  EXPECT_EQ(open_machine(kMachines + "clovertown.json").host, "stallo");
  const MachineFile xml = open_machine(kMachines + "holes.xml");
  EXPECT_EQ(xml.host, "holes");
  EXPECT_EQ(xml.origin, "synthetic");
  EXPECT_EQ(xml.cpu_model, "AMD EPYC");
}

TEST(OpenMachine, TakesSyntheticStrings) {
  const MachineFile file = open_machine("synthetic:pack:2 [numa] l3:4 core:4 pu:2");
  EXPECT_EQ(file.origin, "synthetic");
  EXPECT_EQ(file.topology.cores.size(), 32U);
  EXPECT_EQ(file.topology.numa_nodes.size(), 2U);
}

TEST(OpenMachine, KnowsAtLeastSixNames) {
  const std::vector<NamedMachine> machines = list_machines();
  EXPECT_GE(machines.size(), 6U);
  for (const NamedMachine& known : machines) {
    EXPECT_FALSE(known.about.empty());
    EXPECT_LE(known.name.size(), 20U);
    EXPECT_LE(known.about.size(), 58U) << "plait machine list has 80 columns";
    EXPECT_GE(open_machine(known.name).topology.cores.size(), 1U) << known.name;
  }
}

TEST(OpenMachine, RefusesWhatItCannotFind) {
  EXPECT_EQ(error("nowhere"),
            "nowhere: unknown machine; give a .json or .xml file, synthetic:STRING, or a name from "
            "plait machine list");
  EXPECT_EQ(error("nowhere.xml"),
            "nowhere.xml: cannot be read (No such file or directory); check the path");
}

TEST(OpenMachine, RefusesDamagedXmlWithoutMessagesOfLibraries) {
  const std::string path = testing::TempDir() + "plait-damaged.xml";
  const std::string whole = read_text_file(kMachines + "holes.xml");
  for (const std::string& text :
       {std::string(), std::string("rubbish"), std::string("<topology version=\"2.0\"><object"),
        whole.substr(0, 3000)}) {
    write_text_file(path, text);
    testing::internal::CaptureStderr();
    EXPECT_EQ(error(path), path + ": not an hwloc topology; record it with lstopo --of xml");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  }
}

TEST(OpenMachine, RefusesXmlThatCrashesHwloc) {
  // Version 2.9 of hwloc reads beyond the end of some lists of sets.
  for (const char* name : {"crash-1", "crash-2", "crash-3"}) {
    const std::string path = testing::TempDir() + "plait-crash.xml";
    write_text_file(path, read_text_file(std::string(PLAIT_TEST_DATA) + "/fuzz/hwloc_xml/" + name));
    const std::string line = error(path);
    EXPECT_TRUE(line.starts_with(path + ": ")) << line;
    EXPECT_TRUE(line.ends_with("; record it with lstopo --of xml")) << line;
    EXPECT_EQ(line.find('\n'), line.npos);
  }
}

TEST(OpenMachine, ReadsLargeMachinesInSeconds) {
  const MachineFile file = open_machine("synthetic:pack:4 [numa] l3:4 l2:64 core:4 pu:2");
  EXPECT_EQ(file.topology.cores.size(), 4096U);
  EXPECT_EQ(file.topology.caches.back().cores.size(), 256U);
  EXPECT_EQ(file.topology.cores.back().package, 3);
}

TEST(OpenMachine, RefusesDamagedDescriptions) {
  EXPECT_EQ(error("synthetic:pack:x"),
            "\"pack:x\": not an hwloc synthetic description; write it like pack:2 [numa] l3:4 "
            "core:4 pu:2");
  for (const std::string text : {"1000000", "pack:1000 core:1000", "core:2 pu:99999999999999999"}) {
    EXPECT_EQ(error("synthetic:" + text),
              "\"" + text +
                  "\": has more than 65535 objects at a level; write it like pack:2 [numa] l3:4 "
                  "core:4 pu:2");
  }
  const std::string index = kMachines + "index.json";
  EXPECT_EQ(error(index), index + ": not a plait-machine file; check the path");
}

}  // namespace
}  // namespace plait::machine
