// SPDX-License-Identifier: BSD-3-Clause
// Profiles from records: counts, times, call sites, efficiencies, and what is missing.
#include "report/build.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/json_file.hpp"
#include "base/mpi_library.hpp"
#include "plait/error.hpp"
#include "report/context.hpp"
#include "report/finish.hpp"
#include "report/terminal.hpp"
#include "schema_check.hpp"
#include "synthetic_records.hpp"

namespace plait::report {
namespace {

RunParts parts_of(std::vector<trace::RankRecord> records) {
  RunParts parts;
  parts.run.command = {"mpiexec", "-n", "4", "./app"};
  parts.run.started_command = parts.run.command;
  parts.run.state = "ended";
  parts.run.wall_s = 12;
  parts.run.exit_code = 0;
  parts.run.launcher_kind = "openmpi";
  parts.run.launcher_version = "4.1.4";
  parts.records = std::move(records);
  return parts;
}

std::vector<trace::RankRecord> four_records() {
  return {synthetic_record(0, 4, 5), synthetic_record(1, 4, 4), synthetic_record(2, 4, 3),
          synthetic_record(3, 4, 2)};
}

const CallRow* find_call(const Profile& profile, const std::string& name) {
  for (const CallRow& call : profile.calls) {
    if (call.name == name) return &call;
  }
  return nullptr;
}

TEST(BuiltProfile, sums_calls_over_ranks) {
  const Profile profile = assemble_profile(parts_of(four_records()));
  const CallRow* allreduce = find_call(profile, "MPI_Allreduce");
  ASSERT_NE(allreduce, nullptr);
  EXPECT_EQ(allreduce->count, 40U);
  EXPECT_EQ(allreduce->bytes, 320U);
  EXPECT_NEAR(allreduce->time_s, 14 - 4 * 0.125, 1e-12);
  EXPECT_NEAR(allreduce->max_s, (5 - 0.125) / 10 * 2, 1e-12);
  EXPECT_EQ(find_call(profile, "MPI_Init")->count, 4U);
}

TEST(BuiltProfile, divides_a_ranks_time_without_start_and_end_of_mpi) {
  const RankRow rank = assemble_profile(parts_of(four_records())).ranks.at(1);
  EXPECT_NEAR(rank.wall_s, 10, 1e-12);
  EXPECT_NEAR(rank.mpi_s, 4, 1e-12);
  EXPECT_NEAR(rank.compute_s, 6, 1e-12);
  EXPECT_NEAR(rank.cpu_s, 9, 1e-12);
  EXPECT_NEAR(rank.cpu_wait_s, 0.2, 1e-12);
  EXPECT_EQ(rank.voluntary_switches, 10U);
  EXPECT_EQ(rank.involuntary_switches, 20U);
  EXPECT_EQ(rank.state, "finalized");
}

TEST(BuiltProfile, suggests_the_whole_command_of_the_user) {
  RunParts parts = parts_of(four_records());
  parts.run.command = {"mpiexec", "-n", "64", "./app"};
  parts.run.started_around = {"plait", "cluster", "run", "--nodes", "2",
                              "--",    "plait",   "run", "--trace", "--"};
  parts.run.started_command = parts.run.command;
  const std::string next = assemble_profile(parts).next;
  EXPECT_EQ(next.substr(0, next.find("  #")),
            "plait cluster run --nodes 2 -- plait run --trace -- mpiexec -n 64 ./app");
}

TEST(BuiltProfile, has_the_efficiencies_of_its_ranks) {
  const EfficiencyTable of = assemble_profile(parts_of(four_records())).efficiencies;
  EXPECT_NEAR(*of.load_balance.value, 6.5 / 8, 1e-12);
  EXPECT_NEAR(*of.communication.value, 0.8, 1e-12);
  EXPECT_EQ(of.transfer.kind, "lower bound");
  EXPECT_EQ(of.threads.kind, "not measured");
  EXPECT_FALSE(of.threads.value.has_value());
}

TEST(BuiltProfile, notes_libraries_that_call_mpi_when_they_are_loaded) {
  std::vector<trace::RankRecord> records = four_records();
  EXPECT_TRUE(assemble_profile(parts_of(records)).notes.empty());
  for (trace::RankRecord& record : records) {
    record.sites[2].frames = {{"/nowhere/libsetup.so", 0x200, 0},
                              {"/lib64/ld-linux-x86-64.so.2", 0x10, 0}};
  }
  const std::vector<std::string> notes = assemble_profile(parts_of(records)).notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0],
            "libsetup.so calls MPI when it is loaded or unloaded: 4 of the calls, on all ranks");
}

TEST(BuiltProfile, names_the_users_frame_and_merges_sites_of_all_ranks) {
  const Profile profile = assemble_profile(parts_of(four_records()));
  ASSERT_EQ(profile.sites.size(), 4U);  // Allreduce, Send, and unknown places of Init and Finalize
  const SiteRow& site = profile.sites.front();
  EXPECT_EQ(site.call, "MPI_Allreduce");
  ASSERT_EQ(site.frames.size(), 2U);
  EXPECT_EQ(site.frames[0].module, "/nowhere/app");
  EXPECT_EQ(site.frames[0].offset, "0x100");
  EXPECT_EQ(site.ranks, 4);
  EXPECT_EQ(site.time_min_rank, 3);
  EXPECT_EQ(site.time_max_rank, 0);
  EXPECT_NEAR(site.time_min_s, 2 - 0.125, 1e-12);
  EXPECT_NEAR(site.before_s, 4, 1e-12);
  const CommunicatorRow& world =
      profile.communicators.at(static_cast<std::size_t>(site.communicator));
  EXPECT_EQ(world.name, "MPI_COMM_WORLD");
  EXPECT_EQ(world.spacing, 1);
  EXPECT_EQ(world.on_node, 2);
}

TEST(BuiltProfile, counts_message_sizes_and_partners) {
  const Profile profile = assemble_profile(parts_of(four_records()));
  ASSERT_EQ(profile.sizes.size(), 2U);
  EXPECT_EQ(profile.sizes[0].kind, "collective");
  EXPECT_EQ(profile.sizes[0].low_bytes, 8U);
  EXPECT_EQ(profile.sizes[0].high_bytes, 15U);
  EXPECT_EQ(profile.sizes[1].kind, "point_to_point");
  EXPECT_EQ(profile.sizes[1].low_bytes, 512U);
  EXPECT_EQ(profile.sizes[1].high_bytes, 1023U);
  EXPECT_EQ(profile.sizes[1].count, 4U);
  EXPECT_EQ(profile.matrix.nodes, (std::vector<int>{0, 0, 1, 1}));
}

TEST(BuiltProfile, names_the_parts_of_a_heterogeneous_job) {
  RunParts parts;
  for (int rank = 0; rank < 4; ++rank) {
    parts.records.push_back(synthetic_record(rank, 4, rank < 3 ? 1.0 : 4.0));
    parts.records.back().program = rank < 3 ? "/opt/bin/ocean" : "/opt/bin/ice";
  }
  EXPECT_TRUE(assemble_profile({}).parts.empty());
  Profile profile = assemble_profile(parts);
  ASSERT_EQ(profile.parts.size(), 2U);
  EXPECT_EQ(profile.parts[0].program, "ocean");
  EXPECT_EQ(profile.parts[0].ranks, "0-2");
  EXPECT_EQ(profile.parts[0].count, 3);
  EXPECT_NEAR(profile.parts[0].mpi_s, 3 * profile.ranks[0].mpi_s, 1e-9);
  EXPECT_EQ(profile.parts[1].program, "ice");
  const std::vector<std::string> lines = terminal_lines(profile, {});
  EXPECT_TRUE(std::ranges::any_of(
      lines, [](const std::string& line) { return line.starts_with("ocean  0-2 (3)"); }));

  // Of one program with two threads on one rank, that rank is a part.
  for (trace::RankRecord& record : parts.records) record.program = "/opt/bin/ocean";
  parts.records[1].omp_threads.resize(2);
  profile = assemble_profile(parts);
  ASSERT_EQ(profile.parts.size(), 2U);
  EXPECT_EQ(profile.parts[0].ranks, "0,2-3");
  EXPECT_EQ(profile.parts[1].most_threads, 2);
  parts.records[1].omp_threads.clear();
  EXPECT_TRUE(assemble_profile(parts).parts.empty());
}

TEST(BuiltProfile, keeps_to_the_schema) {
  const auto schema = nlohmann::json::parse(
      read_text_file(std::filesystem::path(PLAIT_SCHEMAS) / "profile-1.schema.json"));
  Profile profile = assemble_profile(parts_of(four_records()));
  EXPECT_EQ(schema_violations(schema, profile_to_json(profile)), std::vector<std::string>{});
}

TEST(BuiltProfile, says_which_ranks_were_killed_and_which_left_nothing) {
  std::vector<trace::RankRecord> records = four_records();
  records.erase(records.begin());
  for (trace::RankRecord& record : records) record.state = PLAIT_STATE_INITIALIZED;
  records[1].last_s = 4.5;
  RunParts parts = parts_of(records);
  parts.output =
      "mpiexec noticed that process rank 2 with PID 0 on node n1 exited on signal 9 (Killed).";
  const Profile profile = assemble_profile(parts);
  EXPECT_FALSE(profile.complete);
  EXPECT_EQ(profile.ranks_recorded, 3);
  ASSERT_EQ(profile.missing.size(), 4U);
  EXPECT_EQ(profile.missing[0],
            "rank 2 (pid 102) was killed by signal 9; its records end 4.50 s after its start");
  EXPECT_EQ(profile.missing[1],
            "rank 1 (pid 101) ended without MPI_Finalize; its records end 11.2 s after its start");
  EXPECT_EQ(profile.missing[3].find("rank 0 of 4 left no records"), 0U);
}

TEST(BuiltProfile, says_first_who_called_abort) {
  std::vector<trace::RankRecord> records = four_records();
  for (trace::RankRecord& record : records) record.state = PLAIT_STATE_INITIALIZED;
  records[3].calls.push_back({});
  records[3].calls.back().function = "MPI_Abort";
  const Profile profile = assemble_profile(parts_of(records));
  EXPECT_EQ(profile.missing.at(0),
            "rank 3 (pid 103) called MPI_Abort; its records end 11.2 s after its start");
}

TEST(BuiltProfile, without_ranks_repeats_the_notes_of_the_processes) {
  trace::RankRecord record = synthetic_record(0, 1, 1);
  record.world_rank = -1;
  record.notes = {"another MPI library"};
  const Profile profile = assemble_profile(parts_of({record}));
  EXPECT_NE(profile.verdict.find("another MPI library"), std::string::npos);
}

TEST(BuiltProfile, of_a_run_that_goes_on_is_not_complete) {
  RunParts parts = parts_of(four_records());
  parts.run.state = "running";
  EXPECT_FALSE(assemble_profile(parts).complete);
}

TEST(BuiltProfile, says_when_no_rank_ran_on_the_machine_that_judges) {
  RunParts parts = parts_of(four_records());
  machine::MachineFile machine;
  machine.cpu_model = "Some CPU";
  machine.host = "n1.cluster";
  parts.machine = machine;
  const Profile here = assemble_profile(parts);
  EXPECT_EQ(here.context.cpu_model, "Some CPU");
  parts.machine->host = "elsewhere";
  const Profile there = assemble_profile(parts);
  EXPECT_EQ(there.context.cpu_model, "");
  ASSERT_EQ(there.notes.size(), here.notes.size() + 1);
  EXPECT_NE(there.notes.front().find("the machine file describes elsewhere (Some CPU)"),
            std::string::npos);
}

TEST(BuiltProfile, of_no_records_has_no_ranks_and_says_so) {
  const Profile profile = assemble_profile(parts_of({}));
  EXPECT_TRUE(profile.ranks.empty());
  EXPECT_NE(profile.verdict.find("no process of the command initialized MPI"), std::string::npos);
}

TEST(BuiltProfile, of_several_jobs_is_that_of_the_longest) {
  std::vector<trace::RankRecord> records = four_records();
  for (int rank = 0; rank < 2; ++rank) {
    records.push_back(synthetic_record(rank, 2, 1));
    records.back().last_s = 3;
  }
  const Profile profile = assemble_profile(parts_of(records));
  EXPECT_EQ(profile.world_size, 4);
  EXPECT_EQ(profile.ranks_recorded, 4);
  EXPECT_TRUE(profile.complete);
  EXPECT_EQ(profile.notes.front().find("2 MPI jobs ran in this run"), 0U);
}

TEST(BuiltProfile, measures_openmp_only_where_it_was_seen) {
  std::vector<trace::RankRecord> records = four_records();
  for (trace::RankRecord& record : records) {
    record.openmp_view = PLAIT_OPENMP_GOMP;
    record.omp_runtime = "libgomp";
    record.omp_threads = {{0, record.pid, 3, 0}, {1, record.pid + 50, 1, 2}};
    record.parallel_regions = {{{"/nowhere/app", 0x500, 0}, 10, 2, 3, 4, 2}};
  }
  Profile profile = assemble_profile(parts_of(records));
  EXPECT_NEAR(*profile.efficiencies.threads.value, 4.0 / 6, 1e-12);
  EXPECT_NEAR(profile.ranks[0].omp_idle_s, 1, 1e-12);
  EXPECT_NEAR(profile.ranks[0].compute_s, 4, 1e-12);
  ASSERT_EQ(profile.openmp.regions.size(), 1U);
  EXPECT_EQ(profile.openmp.regions[0].count, 40U);
  EXPECT_NEAR(profile.openmp.regions[0].threads, 2, 1e-12);
  EXPECT_EQ(profile.openmp.regions[0].function, "app+0x500");

  records[2].openmp_view = PLAIT_OPENMP_BLIND;
  profile = assemble_profile(parts_of(records));
  EXPECT_EQ(profile.openmp.measured, "not measured");
  EXPECT_FALSE(profile.efficiencies.threads.value.has_value());
}

TEST(BuiltProfile, nests_user_regions) {
  std::vector<trace::RankRecord> records = four_records();
  for (trace::RankRecord& record : records) {
    record.regions = {{"solve", -1, 1, 5, 1}, {"assembly", 0, 10, 3, 0.5}};
  }
  const Profile profile = assemble_profile(parts_of(records));
  ASSERT_EQ(profile.regions.size(), 2U);
  EXPECT_EQ(profile.regions[1].name, "solve/assembly");
  EXPECT_EQ(profile.regions[1].count, 40U);
  EXPECT_EQ(profile.regions[1].ranks, 4);
}

TEST(BuiltProfile, accounts_for_the_tool) {
  std::vector<trace::RankRecord> records = four_records();
  records[0].lost_calls = 7;
  records[1].unseen_entry_points = {"MPIX_Foo"};
  records[2].notes = {"something"};
  records[3].notes = {"something"};
  const Profile profile = assemble_profile(parts_of(records));
  EXPECT_EQ(profile.overhead.lost_records, 7U);
  EXPECT_EQ(profile.overhead.calls, 52U);
  EXPECT_NEAR(profile.overhead.total_s, 52 * 20e-9, 1e-15);
  EXPECT_EQ(profile.overhead.unseen_entry_points, std::vector<std::string>{"MPIX_Foo"});
  EXPECT_NE(std::find(profile.notes.begin(), profile.notes.end(), "something (2 processes)"),
            profile.notes.end());
  const auto has = [&](const std::string& id) {
    return std::any_of(profile.findings.begin(), profile.findings.end(),
                       [&](const Finding& finding) { return finding.id == id; });
  };
  EXPECT_TRUE(has("unseen_entry_points"));
  EXPECT_TRUE(has("lost_records"));
  EXPECT_TRUE(has("load_imbalance"));
}

TEST(Libraries, have_short_names) {
  EXPECT_EQ(short_library("Open MPI v4.1.4, package: Debian OpenMPI, ident"), "Open MPI 4.1.4");
  EXPECT_EQ(short_library("MPICH Version:      4.0.2\nMPICH Release date: x"), "MPICH 4.0.2");
  EXPECT_EQ(short_library("Intel(R) MPI Library 2021.18 for Linux* OS"), "Intel MPI 2021.18");
  EXPECT_EQ(short_library("Strange MPI 3, something"), "Strange MPI 3");
}

class RunDirectories : public testing::Test {
protected:
  void SetUp() override {
    dir_ = std::filesystem::path(testing::TempDir()) /
           ("plait-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_ / "records");
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  void write_run(int version) const {
    write_json_file(dir_ / "run.json", {{"schema", "plait-run"},
                                        {"schema_version", version},
                                        {"command", {"./app"}},
                                        {"state", "ended"},
                                        {"wall_s", 1.5},
                                        {"exit_code", 3},
                                        {"signal", nullptr},
                                        {"launcher", nullptr}});
  }
  std::string error_of_build() const {
    try {
      build_profile(dir_);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::filesystem::path dir_;
};

TEST_F(RunDirectories, without_run_json_get_one_clear_line) {
  EXPECT_NE(error_of_build().find("run.json is missing"), std::string::npos);
  std::filesystem::remove_all(dir_);
  EXPECT_NE(error_of_build().find("no such directory"), std::string::npos);
}

TEST_F(RunDirectories, that_are_damaged_get_one_clear_line) {
  std::ofstream(dir_ / "run.json") << "{\"schema\": \"plait-run\", ";
  EXPECT_NE(error_of_build().find("damaged"), std::string::npos);
  write_run(9);
  EXPECT_NE(error_of_build().find("version 9"), std::string::npos);
}

TEST_F(RunDirectories, with_damaged_records_still_give_a_profile) {
  write_run(1);
  std::ofstream(dir_ / "records" / "n0-1.rec") << "no record";
  const Profile profile = build_profile(dir_);
  EXPECT_EQ(profile.exit_code, 3);
  EXPECT_FALSE(profile.complete);
  ASSERT_EQ(profile.missing.size(), 1U);
  EXPECT_NE(profile.missing[0].find("n0-1.rec"), std::string::npos);
}

TEST_F(RunDirectories, are_profiled_again_when_the_profile_is_damaged_or_older) {
  write_run(1);
  EXPECT_EQ(open_run(dir_).exit_code, 3);
  Profile other = read_profile(dir_ / "profile.json");
  other.exit_code = 5;
  write_json_file(dir_ / "profile.json", profile_to_json(other));
  EXPECT_EQ(open_run(dir_).exit_code, 5);  // up to date: as it is
  std::filesystem::last_write_time(
      dir_ / "profile.json",
      std::filesystem::last_write_time(dir_ / "run.json") - std::chrono::hours(1));
  EXPECT_EQ(open_run(dir_).exit_code, 3);
  std::ofstream(dir_ / "profile.json") << "{}";
  EXPECT_EQ(open_run(dir_).exit_code, 3);
}

TEST_F(RunDirectories, are_found_newest_first) {
  EXPECT_THROW(newest_run(dir_), Error);
  for (const char* name : {"a", "b"}) {
    std::filesystem::create_directories(dir_ / name);
    std::ofstream(dir_ / name / "run.json") << "{}";
  }
  std::filesystem::last_write_time(
      dir_ / "b" / "run.json",
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(newest_run(dir_), dir_ / "a");
}

}  // namespace
}  // namespace plait::report
