// SPDX-License-Identifier: BSD-3-Clause
// Plans are read back from their files and become options of each launcher.
#include "launcher/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <sstream>

#include "base/json_file.hpp"
#include "launcher/plan_placement.hpp"
#include "plait/error.hpp"

namespace plait::launcher {
namespace {

using machine::CpuSet;

Launcher launcher(LauncherKind kind, const std::string& version = "") {
  return {kind, version, kind == LauncherKind::slurm ? "srun" : "mpiexec", ""};
}

/// Places in rank order: {node, cpus, cores}.
Plan plan_of(const std::vector<std::array<const char*, 3>>& places, int threads = 0) {
  Plan plan;
  plan.name = "test";
  plan.ranks = static_cast<int>(places.size());
  plan.threads = threads;
  for (const auto& [node, cpus, cores] : places) {
    plan.places.push_back({node, CpuSet::parse(cpus), CpuSet::parse(cores)});
  }
  return plan;
}

/// The environment, the command without the binder's folder, and the files.
std::string text_of(const PlannedCommand& command) {
  std::string text;
  for (const auto& [name, value] : command.environment) text += name + "=" + value + " ";
  for (const std::string& word : command.argv) {
    const std::size_t slash = word.rfind("/plait-bind");
    text += (slash == word.npos ? word : word.substr(slash + 1)) + " ";
  }
  text.pop_back();
  for (const auto& [name, content] : command.files) text += "\n" + name + ": " + content;
  return text;
}

std::string planned(const Plan& plan, LauncherKind kind, const std::string& version = "") {
  return text_of(command_of(plan, launcher(kind, version), {"./app", "x"}, "d"));
}

std::string applied(const Plan& plan, LauncherKind kind, const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> argv;
  for (std::string word; in >> word;) argv.push_back(word);
  const std::size_t at = behind_wrappers(argv, 0);
  return text_of(command_of(plan, parse_command(launcher(kind), argv, at), "d"));
}

const Plan kSwapped = plan_of({{"", "1", "1"}, {"", "0", "0"}});
const Plan kNodes = plan_of({{"a", "0-1", "0-1"}, {"a", "2-3", "2-3"}, {"b", "0-1", "0-1"}}, 2);
const Plan kDealt = plan_of({{"a", "4-5", ""}, {"b", "4-5", ""}, {"a", "6", ""}, {"b", "6", ""}});
const Plan kUneven = plan_of({{"a", "0-1", ""}, {"b", "2-3", ""}});
const Plan kOrder = plan_of({{"a", "", ""}, {"b", "", ""}, {"a", "", ""}});

TEST(Plan, AFileHoldsAllOfIt) {
  Plan plan = kNodes;
  plan.reason = "a \"reason\"";
  plan.source = "plait-runs/x";
  plan.reorder = true;
  plan.environment = {{"OMP_PLACES", "cores"}};
  plan.files = {{"rules.conf", "0 # operations\n"}};
  plan.launcher_options = {"--mca", "pml", "ob1"};
  plan.wait = "automatic";
  plan.transport = "auto";
  plan.only_for = LauncherKind::openmpi5;
  plan.before = PredictedTime{2, 1.5, 2.5};
  plan.after = PredictedTime{1, 0.5, 1.5};
  plan.predicted_of = "one exchange";
  const std::string path = ::testing::TempDir() + "plan_test.json";
  save_plan(path, plan);
  const Plan read = load_plan(path);
  EXPECT_EQ(read.reason, plan.reason);
  EXPECT_EQ(read.threads, 2);
  ASSERT_EQ(read.places.size(), 3u);
  EXPECT_EQ(read.places[1].pus, CpuSet::range(2, 3));
  EXPECT_EQ(read.places[2].node, "b");
  EXPECT_TRUE(read.reorder);
  EXPECT_FALSE(read.reorder_always);
  EXPECT_EQ(read.only_for, LauncherKind::openmpi5);
  EXPECT_EQ(read.after->high, 1.5);
  EXPECT_EQ(read.wait, "automatic");
  EXPECT_EQ(read.transport, "auto");
  const std::string again = ::testing::TempDir() + "plan_test_again.json";
  save_plan(again, read);
  EXPECT_EQ(read_text_file(again), read_text_file(path));
}

TEST(Plan, ADamagedFileIsNamed) {
  const std::string path = ::testing::TempDir() + "plan_damaged.json";
  save_plan(path, kNodes);
  const std::string good = read_text_file(path);
  const auto fails = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    write_text_file(path, text);
    EXPECT_THROW(load_plan(path), Error) << to;
  };
  fails("\"schema_version\": 1", "\"schema_version\": 2");
  fails("\"ranks\": 3", "\"ranks\": 4");
  fails("\"ranks\": 3", "\"ranks\": -1");
  fails("\"ranks\": 3", "\"ranks\": \"x\"");
  fails("\"0-1\"", "\"0-x\"");
  fails("\"only_for\": null", "\"only_for\": \"lam\"");
  fails("\"reorder\": \"no\"", "\"reorder\": \"yes\"");
  fails("\"environment\": {}", "\"environment\": {\"A B\": \"1\"}");
  fails("\"node\": \"b\"", "\"node\": \"b c\"");
  save_plan(path, Plan{});
  EXPECT_THROW(load_plan(path), Error) << "it changes nothing";
  EXPECT_THROW(load_plan("/nowhere/plan.json"), Error);
}

TEST(Plan, WholeCoresAreInOpenMpisRankfile) {
  EXPECT_EQ(planned(kSwapped, LauncherKind::openmpi4, "4.1.4"),
            "mpiexec -n 2 --rankfile d/rankfile ./app x\n"
            "rankfile: rank 0=localhost slot=1\nrank 1=localhost slot=0\n");
  EXPECT_EQ(planned(kNodes, LauncherKind::openmpi5),
            "OMP_NUM_THREADS=2 mpiexec -x OMP_NUM_THREADS -n 3 "
            "--map-by rankfile:file=d/rankfile --bind-to core --host a:2,b:1 ./app x\n"
            "rankfile: rank 0=a slot=0-1\nrank 1=a slot=2-3\nrank 2=b slot=0-1\n");
  const Plan shared = plan_of({{"", "0", "0"}, {"", "0", "0"}});
  EXPECT_EQ(command_of(shared, launcher(LauncherKind::openmpi4), {"./app"}, "d").argv,
            (std::vector<std::string>{"mpiexec", "-x", "OMPI_MCA_mpi_yield_when_idle", "-n", "2",
                                      "--rankfile", "d/rankfile", "--oversubscribe", "--bind-to",
                                      "cpu-list:overload-allowed", "./app"}));
}

TEST(Plan, OtherPlacesAreTakenByTheRanksThemselvesUnderOpenMpi) {
  EXPECT_EQ(planned(kUneven, LauncherKind::openmpi4),
            "mpiexec -n 2 --map-by seq --hostfile d/hosts --bind-to none plait-bind d/places "
            "./app x\nhosts: a\nb\n\nplaces: 0 0-1\n1 2-3\n");
  EXPECT_EQ(planned(kUneven, LauncherKind::openmpi5),
            "mpiexec -n 2 --map-by seq:file=d/hosts --bind-to none --host a:1,b:1 plait-bind "
            "d/places ./app x\nhosts: a\nb\n\nplaces: 0 0-1\n1 2-3\n");
}

TEST(Plan, OnOneNodeOpenMpiNeedsNoHosts) {
  const Plan threads = plan_of({{"", "1", ""}, {"", "0", ""}});
  EXPECT_EQ(planned(threads, LauncherKind::openmpi4),
            "mpiexec -n 2 --bind-to none plait-bind d/places ./app x\nplaces: 0 1\n1 0\n");
  const Plan shared = plan_of({{"", "0-1", ""}, {"", "0", ""}});
  EXPECT_EQ(command_of(shared, launcher(LauncherKind::openmpi5), {"./app"}, "d").argv[4],
            ":oversubscribe");
  const Plan order = plan_of({{"", "", ""}, {"", "", ""}});
  EXPECT_EQ(applied(order, LauncherKind::openmpi5, "mpiexec --bind-to core -n 2 ./app"),
            "mpiexec -n 2 --bind-to core ./app");
}

TEST(Plan, HydraTakesOneListForAllNodes) {
  EXPECT_EQ(planned(kSwapped, LauncherKind::mpich), "mpiexec -n 2 -bind-to user:1,0 ./app x");
  EXPECT_EQ(planned(kNodes, LauncherKind::mpich, "4.0.2"),
            "OMP_NUM_THREADS=2 mpiexec -n 3 -f d/hosts -bind-to user:0+1,2+3 ./app x\n"
            "hosts: a:2\nb:1\n");
  EXPECT_EQ(planned(kDealt, LauncherKind::mpich, "5.0.2"),
            "mpiexec -n 4 -f d/hosts -rankmap 0,1,0,1 -bind-to user:4+5,6 ./app x\n"
            "hosts: a:2\nb:2\n");
  EXPECT_EQ(planned(kUneven, LauncherKind::mpich),
            "mpiexec -n 2 -f d/hosts -bind-to none plait-bind d/places ./app x\n"
            "hosts: a:1\nb:1\n\nplaces: 0 0-1\n1 2-3\n");
}

TEST(Plan, MpichsRankmapIsKnownToHaveAValue) {
  EXPECT_EQ(option_length(LauncherKind::mpich, "-rankmap"), 2u);
}

TEST(Plan, Mpich4GetsANoteAboutSharedMemory) {
  const PlannedCommand command =
      command_of(kDealt, launcher(LauncherKind::mpich, "4.0.2"), {"./app"}, "d");
  EXPECT_EQ(command.files.at("hosts"), "a:1\nb:1\na:1\nb:1\n");
  EXPECT_EQ(command.files.count("places"), 1u);
  ASSERT_EQ(command.notes.size(), 1u);
  EXPECT_NE(command.notes[0].find("no shared memory"), std::string::npos);
}

TEST(Plan, IntelTakesMasksWith0xAndNoneFromBit60On) {
  EXPECT_EQ(planned(kSwapped, LauncherKind::intel),
            "mpiexec -n 2 -genv I_MPI_PIN_PROCESSOR_LIST 1,0 ./app x");
  EXPECT_EQ(planned(kDealt, LauncherKind::intel),
            "mpiexec -n 4 -machinefile d/hosts -genv I_MPI_PIN_DOMAIN [0x30,0x40] ./app x\n"
            "hosts: a:1\nb:1\na:1\nb:1\n");
  const Plan high = plan_of({{"", "60-61", "60-61"}});
  EXPECT_EQ(planned(high, LauncherKind::intel),
            "mpiexec -n 1 -genv I_MPI_PIN 0 plait-bind d/places ./app x\nplaces: 0 60-61\n");
}

TEST(Plan, SrunTakesAHostFileAndMasks) {
  EXPECT_EQ(planned(kNodes, LauncherKind::slurm),
            "OMP_NUM_THREADS=2 SLURM_HOSTFILE=d/hosts srun -n 3 --distribution=arbitrary "
            "--cpu-bind=mask_cpu:0x3,0xc ./app x\nhosts: a\na\nb\n");
  EXPECT_EQ(planned(kSwapped, LauncherKind::slurm),
            "srun -n 2 --nodes=1 --cpu-bind=mask_cpu:0x2,0x1 ./app x")
      << "srun shares ranks out over all nodes of a job unless an option restricts it to one";
}

TEST(Plan, AnOrderOfNodesAloneLeavesBindingToTheUser) {
  EXPECT_EQ(applied(kOrder, LauncherKind::openmpi5, "mpiexec --bind-to core -n 3 ./app"),
            "mpiexec -n 3 --map-by seq:file=d/hosts --host a:2,b:1 --bind-to core ./app\n"
            "hosts: a\nb\na\n");
  EXPECT_EQ(applied(kOrder, LauncherKind::mpich, "mpiexec -bind-to core -hosts a,b -n 3 ./app"),
            "mpiexec -n 3 -f d/hosts -rankmap 0,1,0 -bind-to core ./app\nhosts: a:2\nb:1\n");
}

TEST(Plan, TheUsersOwnOptionsStayWhereTheyDoNotContradict) {
  EXPECT_EQ(applied(kNodes, LauncherKind::openmpi4,
                    "env OMP_NUM_THREADS=8 mpiexec --host a:4,b:4 -np 3 --map-by core --mca btl "
                    "self env A=b ./app"),
            "OMP_NUM_THREADS=2 env OMP_NUM_THREADS=2 mpiexec -x OMP_NUM_THREADS -n 3 --rankfile "
            "d/rankfile --host a:4,b:4 --mca btl self env A=b ./app\n"
            "rankfile: rank 0=a slot=0-1\nrank 1=a slot=2-3\nrank 2=b slot=0-1\n");
  EXPECT_EQ(applied(kSwapped, LauncherKind::mpich, "mpiexec -n 1 ./one : -n 1 ./two"),
            "mpiexec -bind-to user:1,0 -n 1 ./one : -n 1 ./two");
}

TEST(Plan, SettingsAloneLeaveTheCommandAsItIs) {
  Plan plan;
  plan.environment = {{"UCX_TLS", "sm"}};
  plan.launcher_options = {"--mca", "pml", "ucx"};
  EXPECT_EQ(applied(plan, LauncherKind::openmpi4, "mpiexec -n 4 --bind-to core ./app"),
            "UCX_TLS=sm mpiexec --mca pml ucx -n 4 --bind-to core ./app");
}

TEST(Plan, SettingsNameFilesInTheFolder) {
  Plan plan;
  plan.environment = {{"RULES", "{folder}/rules.conf"}};
  EXPECT_EQ(applied(plan, LauncherKind::mpich, "mpiexec -n 4 ./app"),
            "RULES={folder}/rules.conf mpiexec -n 4 ./app");
  plan.files = {{"rules.conf", "0 # operations\n"}};
  const PlannedCommand command = command_of(
      plan, parse_command({LauncherKind::mpich, "", "mpiexec", ""}, {"mpiexec", "./app"}), "/f");
  EXPECT_EQ(command.environment.at("RULES"), "/f/rules.conf");
  EXPECT_EQ(command.files, plan.files);
}

TEST(Plan, WhatDoesNotFitIsRefused) {
  Plan plan = kNodes;
  plan.only_for = LauncherKind::intel;
  EXPECT_THROW(planned(plan, LauncherKind::mpich), Error);
  EXPECT_THROW(planned(kNodes, LauncherKind::none), Error);
  EXPECT_THROW(applied(kNodes, LauncherKind::mpich, "mpiexec -n 1 ./one : -n 1 ./two"), Error);
}

TEST(Plan, OtherRanksAreTakenOnlyForAsManyThreadsInAll) {
  const Plan hybrid = plan_of({{"", "0-1", ""}, {"", "2-3", ""}}, 2);
  EXPECT_THROW(applied(kSwapped, LauncherKind::mpich, "mpiexec -n 4 ./app"), Error);
  EXPECT_THROW(applied(kSwapped, LauncherKind::openmpi4, "mpiexec -np 1 ./app"), Error);
  EXPECT_THROW(applied(hybrid, LauncherKind::slurm, "srun --ntasks=3 ./app"), Error);
  EXPECT_THROW(applied(hybrid, LauncherKind::mpich, "mpiexec -genv OMP_NUM_THREADS 2 -n 4 ./app"),
               Error);
  const PlannedCommand fewer =
      command_of(hybrid,
                 parse_command(launcher(LauncherKind::mpich),
                               {"mpiexec", "-genv", "OMP_NUM_THREADS", "1", "-n", "4", "./app"}),
                 "d");
  ASSERT_EQ(fewer.notes.size(), 1u);
  EXPECT_EQ(fewer.notes[0], "the plan has 2 ranks x 2 threads instead of 4 ranks x 1");
}

TEST(Plan, ABatchScriptFindsItsNodesItself) {
  const std::string text = slurm_script(kUneven, {"./my app", "x"});
  EXPECT_NE(text.find("#SBATCH --nodes=2\n#SBATCH --ntasks=2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("for node in 0 1; do"), std::string::npos) << text;
  EXPECT_NE(text.find("0 0-1\n1 2-3\nEND\n"), std::string::npos) << text;
  EXPECT_NE(text.find("srun -n 2 --distribution=arbitrary --cpu-bind=none "), std::string::npos);
  EXPECT_NE(text.find("plait-bind \"$files\"/places './my app' x\n"), std::string::npos) << text;
}

TEST(Plan, AScriptBringsItsFilesAlong) {
  const std::string text = start_script(kSwapped, launcher(LauncherKind::openmpi5), {"./app"});
  EXPECT_NE(text.find("cat > \"$files/rankfile\" <<'END'\nrank 0=localhost slot=1\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("--map-by rankfile:file=\"$files\"/rankfile --bind-to core ./app\n"),
            std::string::npos)
      << text;
}

TEST(Plan, CpusThatThisNodeLacksAreRefused) {
  machine::Topology node;
  node.cores = {{0, 0, 0, {0}, 0}, {1, 0, 0, {1}, 0}};
  check_places(kSwapped, node, "here");
  EXPECT_THROW(check_places(plan_of({{"", "0", ""}, {"", "99", ""}}), node, "here"), Error);
  EXPECT_THROW(check_places(plan_of({{"here.org", "2", ""}}), node, "here"), Error);
  check_places(plan_of({{"elsewhere", "2", ""}}), node, "here");
}

TEST(Plan, RanksThatRanElsewhereAreFound) {
  placement::PlacementInput seen;
  seen.hosts.resize(2);
  seen.hosts[0].name = "a.cluster";
  seen.hosts[1].name = "b";
  const auto rank = [](int number, int host, const char* cpus) {
    placement::RankPlace place;
    place.rank = number;
    place.host = host;
    place.threads.push_back({0, 1, CpuSet::parse(cpus)});
    return place;
  };
  seen.ranks = {rank(0, 0, "0"), rank(1, 0, "2-3"), rank(2, 1, "0-1")};
  EXPECT_TRUE(differences(kNodes, seen).empty());
  EXPECT_EQ(plan_sentence(kNodes, {}), "All 3 ranks ran where the plan puts them.");
  seen.ranks = {rank(0, 0, "0-3"), rank(1, 1, "2-3")};
  const auto found = differences(kNodes, seen);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(
      plan_sentence(kNodes, found),
      "3 of 3 ranks did not run where the plan puts them: rank 0: cpus 0-1 of a planned, cpus "
      "0-3 of a.cluster seen.");
  EXPECT_EQ(places_finding(kNodes, found).evidence,
            "rank 0: cpus 0-1 of a planned, cpus 0-3 of a.cluster seen; rank 1: cpus 2-3 of a "
            "planned, cpus 2-3 of b seen; rank 2: cpus 0-1 of b planned, not seen");
}

}  // namespace
}  // namespace plait::launcher
