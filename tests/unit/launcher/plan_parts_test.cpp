// SPDX-License-Identifier: BSD-3-Clause
// Plans for several programs become commands in which each part has its ranks, places and threads.
#include "launcher/plan_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "base/json_file.hpp"
#include "base/split.hpp"
#include "launcher/further_script.hpp"
#include "launcher/plan_placement.hpp"
#include "plait/error.hpp"

namespace plait::launcher {
namespace {

using machine::CpuSet;

/// Two ranks of ocean with two threads on nodes a and b, one rank of ice on b.
Plan coupled(const std::vector<const char*>& cpus = {"0-1", "0-1", "2"}) {
  Plan plan;
  plan.name = "test";
  plan.ranks = 3;
  plan.parts = {{"ocean", 2, 2, {{"OMP_PLACES", "cores"}}}, {"ice", 1, 1, {}}};
  const std::vector<std::string> nodes{"a", "b", "b"};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    plan.places.push_back({nodes[i], CpuSet::parse(cpus[i]), {}});
  }
  return plan;
}

LaunchCommand command(LauncherKind kind, const std::string& line) {
  return parse_command({kind, "", "mpiexec", ""}, split_at_blanks(line));
}

std::string text_of(const PlannedCommand& planned) {
  std::string text = fmt::format("{}", fmt::join(planned.argv, " "));
  for (std::size_t at; (at = text.find("/plait-bind")) != text.npos;) {
    const std::size_t begin = text.rfind(' ', at) + 1;
    text.erase(begin, at + 1 - begin);
  }
  for (const auto& [name, content] : planned.files) text += "\n" + name + ": " + content;
  return text;
}

std::string applied(const Plan& plan, LauncherKind kind, const std::string& line) {
  return text_of(command_of(plan, command(kind, line), "d"));
}

std::string refusal(const Plan& plan, LauncherKind kind, const std::string& line) {
  try {
    applied(plan, kind, line);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(PlanParts, AFileHoldsThem) {
  const std::string path = ::testing::TempDir() + "plan_parts.json";
  save_plan(path, coupled());
  const Plan read = load_plan(path);
  ASSERT_EQ(read.parts.size(), 2u);
  EXPECT_EQ(read.parts[0].program, "ocean");
  EXPECT_EQ(read.parts[0].ranks, 2);
  EXPECT_EQ(read.parts[0].threads, 2);
  EXPECT_EQ(read.parts[0].environment.at("OMP_PLACES"), "cores");
  EXPECT_EQ(plan_text(read), plan_text(coupled()));
  const auto fails = [&](auto change) {
    Plan plan = coupled();
    change(plan);
    save_plan(path, plan);
    EXPECT_THROW(load_plan(path), Error);
  };
  fails([](Plan& plan) { plan.parts[1].ranks = 2; });
  fails([](Plan& plan) { plan.parts[1].ranks = 0; });
  fails([](Plan& plan) { plan.parts[1].program = ""; });
  fails([](Plan& plan) { plan.parts[1].threads = -1; });
  fails([](Plan& plan) { plan.parts[1].environment = {{"A B", "1"}}; });
}

TEST(PlanParts, EachRankHasThreadsOfItsPart) {
  Plan plan = coupled();
  plan.threads = 4;
  plan.parts[1].threads = 0;
  EXPECT_EQ(threads_of_rank(plan, 0), 2);
  EXPECT_EQ(threads_of_rank(plan, 1), 2);
  EXPECT_EQ(threads_of_rank(plan, 2), 4);
  EXPECT_EQ(part_of_rank(plan, 2)->program, "ice");
  EXPECT_EQ(part_of_rank(Plan{}, 0), nullptr);
}

TEST(PlanParts, HydraBindsTheRanksOfAllParts) {
  EXPECT_EQ(applied(coupled(), LauncherKind::mpich,
                    "mpiexec -n 2 ./ocean x : -hosts c -bind-to core -n 1 ./ice"),
            "mpiexec -f d/hosts -bind-to user:0+1,2 -n 2 env OMP_NUM_THREADS=2 OMP_PLACES=cores "
            "./ocean x : -n 1 env OMP_NUM_THREADS=1 ./ice\nhosts: a:1\nb:2\n");
  EXPECT_EQ(applied(coupled({"", "", ""}), LauncherKind::intel, "mpiexec -n 2 ocean : -n 1 ice"),
            "mpiexec -machinefile d/hosts -n 2 env OMP_NUM_THREADS=2 OMP_PLACES=cores ocean : -n 1 "
            "env OMP_NUM_THREADS=1 ice\nhosts: a:1\nb:2\n");
}

TEST(PlanParts, OpenMpiReadsItsHostsOnceForAllParts) {
  const std::string parts =
      "-n 2 env OMP_NUM_THREADS=2 OMP_PLACES=cores ocean : -n 1 env OMP_NUM_THREADS=1 ice\n";
  const std::string line = "mpiexec --host a,b -n 2 ocean : --host c -n 1 ice";
  const Plan plan = coupled({"", "", ""});
  EXPECT_EQ(applied(plan, LauncherKind::openmpi4, line),
            "mpiexec --map-by seq --default-hostfile d/hosts --bind-to none " + parts +
                "hosts: a\nb\nb\n");
  EXPECT_EQ(applied(plan, LauncherKind::openmpi5, "mpiexec -n 2 ocean : -n 1 ice"),
            "mpiexec --map-by rankfile:file=d/rankfile --bind-to none --host a:1,b:2 " + parts +
                "rankfile: rank 0=a slot=*\nrank 1=b slot=*\nrank 2=b slot=*\n");
}

TEST(PlanParts, RanksOfAllPartsBindThemselves) {
  EXPECT_EQ(applied(coupled({"0-1", "2-3", "4"}), LauncherKind::openmpi4,
                    "mpiexec -n 2 ocean : -n 1 ice"),
            "mpiexec --map-by seq --default-hostfile d/hosts --bind-to none -n 2 env "
            "OMP_NUM_THREADS=2 OMP_PLACES=cores plait-bind d/places ocean : -n 1 env "
            "OMP_NUM_THREADS=1 plait-bind d/places ice\nhosts: a\nb\nb\n\n"
            "places: 0 0-1\n1 2-3\n2 4\n");
}

TEST(PlanParts, VariablesThatThePartsAlreadySetAreReplaced) {
  Plan plan = coupled({"", "", ""});
  for (RankPlaces& place : plan.places) place.node.clear();
  plan.parts[0].environment.clear();
  EXPECT_EQ(applied(plan, LauncherKind::mpich,
                    "mpiexec -n 2 -env OMP_NUM_THREADS 8 ocean : -n 1 env OMP_NUM_THREADS=8 ice"),
            "mpiexec -n 2 -env OMP_NUM_THREADS 2 ocean : -n 1 env OMP_NUM_THREADS=1 ice");
}

TEST(PlanParts, ProgramsWithoutALauncherBecomeParts) {
  const Launcher mpich{LauncherKind::mpich, "", "mpiexec", ""};
  const Plan plan = coupled({"", "", ""});
  EXPECT_EQ(command_of(plan, mpich, {"./ocean", "x", ":", "./ice"}, "d").argv,
            split_at_blanks("mpiexec -f d/hosts -n 2 env OMP_NUM_THREADS=2 OMP_PLACES=cores "
                            "./ocean x : -n 1 env OMP_NUM_THREADS=1 ./ice"));
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"./ocean"}, {"./ocean", ":"}, {"a", ":", "b", ":", "c"}}) {
    EXPECT_THROW(command_of(plan, mpich, wrong, "d"), Error);
  }
  Plan alike = plan;
  alike.parts[0].program = "ice";
  EXPECT_EQ(arguments_of_parts(alike, {"./ice"}), split_at_blanks("-n 2 ./ice : -n 1 ./ice"));
}

TEST(PlanParts, OtherPartsAreRefused) {
  EXPECT_EQ(refusal(coupled(), LauncherKind::mpich, "mpiexec -n 3 ./ocean"),
            "plan \"test\": for 2 x ocean, 1 x ice, but the command has 1 program; give its "
            "programs in this order, separated by \":\"");
  EXPECT_EQ(refusal(coupled(), LauncherKind::mpich, "mpiexec -n 2 ./ice : -n 1 ./ocean"),
            "plan \"test\": for 2 x ocean, 1 x ice, but program 1 of the command is ice; give "
            "its programs in this order");
  EXPECT_EQ(refusal(coupled(), LauncherKind::mpich, "mpiexec -n 1 ./ocean : -n 2 ./ice"),
            "plan \"test\": has 2 ranks of ocean, but the command starts 1; give -n 2 for ocean");
  EXPECT_EQ(refusal(coupled(), LauncherKind::mpich, "mpiexec ./ocean : -n 1 ./ice"),
            "plan \"test\": has 2 ranks of ocean, but the command starts as many as fit; give -n 2 "
            "for ocean");
  EXPECT_NE(refusal(coupled(), LauncherKind::mpich, "mpiexec -n 2 ./new : -n 1 ./ice"),
            refusal(coupled(), LauncherKind::mpich, "mpiexec -n 2 ./ice : -n 1 ./ice"))
      << "a program may have another name, but not that of another part";
}

TEST(PlanParts, LaunchersThatCannotPlaceSeveralProgramsAreRefused) {
  EXPECT_NE(refusal(coupled(), LauncherKind::slurm, "mpiexec -n 2 ocean : -n 1 ice")
                .find("gives each program of a job its own nodes"),
            std::string::npos);
  EXPECT_THROW(slurm_script(coupled(), {"ocean", ":", "ice"}), Error);
  EXPECT_THROW(further_script(coupled(), FurtherLauncher::numactl, {"ocean", ":", "ice"}), Error);
}

TEST(PlanParts, ARankElsewhereIsNamedWithItsProgram) {
  const auto found = differences(coupled(), {});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(places_finding(coupled(), found).evidence,
            "rank 0 (ocean): cpus 0-1 of a planned, not seen; rank 1 (ocean): cpus 0-1 of b "
            "planned, not seen; rank 2 (ice): cpus 2 of b planned, not seen");
  EXPECT_EQ(places_finding(coupled(), found).threads_per_rank, 2);
}

}  // namespace
}  // namespace plait::launcher
