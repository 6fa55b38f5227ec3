// SPDX-License-Identifier: BSD-3-Clause
// What plait measure refuses, where it writes, and how it divides its time.
#include "measure/measure_all.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "plait/error.hpp"

namespace plait::measure {
namespace {

namespace fs = std::filesystem;

std::string refused(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(MeasureAll, RefusesOptionsThatNeedSeveralNodes) {
  const auto check = [](const std::function<void(AllRequest&)>& change) {
    AllRequest request;
    change(request);
    return refused([&] { check_together(request); });
  };
  EXPECT_EQ(check([](AllRequest& of) { of.only_nodes = true; }).find("--only-nodes: needs"), 0U);
  EXPECT_EQ(check([](AllRequest& of) { of.per_node = 2; }).find("--ranks-per-node: needs"), 0U);
  EXPECT_EQ(check([](AllRequest& of) { of.launcher_options = "-x A"; }).find("--launcher-options"),
            0U);
  const auto without_mpi = [](AllRequest& of) {
    of.nodes = "n0,n1";
    of.node.use_mpi = false;
  };
  EXPECT_EQ(check(without_mpi).find("--no-mpi: measuring several nodes needs MPI"), 0U);
  EXPECT_EQ(check([](AllRequest&) {}), "nothing was refused");
}

TEST(MeasureAll, DividesTheTimeBetweenThisNodeAndTheNetwork) {
  AllRequest request;
  request.nodes = "n0,n1";
  request.launcher_options = " --mca btl  tcp,self ";
  EXPECT_EQ(nodes_request(request, "m.json").seconds, 150);
  request.node.quick = true;
  EXPECT_EQ(nodes_request(request, "m.json").seconds, 60);
  request.node.budget_s = 40;
  const NodesRequest nodes = nodes_request(request, "m.json");
  EXPECT_EQ(nodes.seconds, 20);
  EXPECT_EQ(nodes.nodes, (std::vector<std::string>{"n0", "n1"}));
  EXPECT_EQ(nodes.launcher_options, (std::vector<std::string>{"--mca", "btl", "tcp,self"}));
  EXPECT_EQ(nodes.folder, fs::current_path());
  request.only_nodes = true;
  EXPECT_EQ(nodes_request(request, "m.json").seconds, 40);
}

TEST(MeasureAll, ChecksTheMachineFileFirst) {
  const fs::path folder = fs::temp_directory_path() / "plait_measure_all";
  fs::create_directories(folder);
  EXPECT_EQ(writable_machine_file((folder / "m.json").string()), folder / "m.json");
  const auto of = [](const fs::path& path) {
    return refused([&] { writable_machine_file(path.string()); });
  };
  EXPECT_NE(of(folder).find("a folder, not a file"), std::string::npos);
  EXPECT_NE(of(folder / "none" / "m.json").find("the folder does not exist"), std::string::npos);
  fs::remove_all(folder);
}

TEST(MeasureAll, FindsTheNoteAboutAnEmulatedNetwork) {
  machine::MachineFile file;
  file.notes = {"kernels: avx2"};
  EXPECT_EQ(emulation_note(file), "");
  file.notes.emplace_back("between nodes: emulated, cluster a of 2 nodes, links of 1 Gbit/s");
  EXPECT_EQ(emulation_note(file), file.notes[1]);
}

}  // namespace
}  // namespace plait::measure
