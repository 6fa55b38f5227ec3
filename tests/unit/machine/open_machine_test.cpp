// SPDX-License-Identifier: BSD-3-Clause
// Tests of `--machine SPEC`: the local node, files, synthetic strings, names.
#include "machine/open_machine.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "base/json_file.hpp"
#include "machine/discover.hpp"

namespace plait::machine {
namespace {

const std::string kMachines = PLAIT_TEST_DATA "/machines/";

std::string error(const std::string& spec) {
  try {
    open_machine(spec);
  } catch (const Error& problem) {
    EXPECT_EQ(problem.exit_code(), 2);
    return problem.what();
  }
  return "";
}

TEST(OpenMachine, WithoutASpecIsThisNode) {
  EXPECT_EQ(open_machine().topology, discover_local().topology);
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
    EXPECT_GE(open_machine(known.name).topology.cores.size(), 1U) << known.name;
  }
}

TEST(OpenMachine, RefusesWhatItCannotFind) {
  EXPECT_EQ(error("nowhere"),
            "nowhere: there is no such machine; give a .json or .xml file, synthetic:STRING, or a "
            "name from plait machine list");
  EXPECT_EQ(error("nowhere.xml"),
            "nowhere.xml: cannot be read (No such file or directory); check the path");
}

TEST(OpenMachine, RefusesDamagedXmlWithoutAWordOfTheLibraries) {
  const std::string path = testing::TempDir() + "plait-damaged.xml";
  const std::string whole = read_text_file(kMachines + "holes.xml");
  for (const std::string& text :
       {std::string(), std::string("rubbish"), std::string("<topology version=\"2.0\"><object"),
        whole.substr(0, 3000)}) {
    write_text_file(path, text);
    testing::internal::CaptureStderr();
    EXPECT_EQ(error(path),
              path + ": is damaged: not an hwloc topology; record it with lstopo --of xml");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  }
}

TEST(OpenMachine, RefusesDamagedDescriptions) {
  EXPECT_EQ(error("synthetic:pack:x"),
            "'pack:x': is not an hwloc synthetic description; write it as pack:2 [numa] l3:4 "
            "core:4 pu:2");
  const std::string index = kMachines + "index.json";
  EXPECT_EQ(error(index), index + ": is not a plait-machine file; check the path");
}

}  // namespace
}  // namespace plait::machine
