// SPDX-License-Identifier: BSD-3-Clause
// The candidates for made-up profiles, and tune.json.
#include "tune/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/json_file.hpp"
#include "plait/error.hpp"
#include "tune/execute.hpp"
#include "tune/tune_file.hpp"
#include "tune/tune_lines.hpp"

namespace plait::tune {
namespace {

Registry registry() {
  const std::string bcast = "mca:coll:tuned:param:coll_tuned_bcast_algorithm:";
  const std::string copy = "mca:btl:vader:param:btl_vader_single_copy_mechanism:";
  const std::string listed =
      "mca:btl:vader:param:btl_vader_eager_limit:value:4096\n"
      "mca:btl:vader:param:btl_vader_max_send_size:value:32768\n" +
      copy + "value:cma\n" + copy + "enumerator:value:1:cma\n" + copy +
      "enumerator:value:3:none\n"
      "mca:mpi:base:param:mpi_yield_when_idle:value:false\n"
      "mca:coll:tuned:param:coll_tuned_use_dynamic_rules:value:false\n" +
      bcast + "enumerator:value:2:chain\n" + bcast + "enumerator:value:6:binomial\n";
  return make_registry({launcher::LauncherKind::openmpi4, "4.1.4", "mpiexec", ""},
                       parse_ompi_info(listed), "ompi_info", {});
}

/// Two ranks, a second each: messages of 8 KiB for half of it, broadcasts for a tenth.
report::Profile profile() {
  report::Profile profile;
  profile.world_size = 2;
  for (int rank = 0; rank < 2; ++rank) {
    report::RankRow row;
    row.rank = rank;
    row.wall_s = 1;
    row.mpi_s = 0.6;
    profile.ranks.push_back(row);
  }
  profile.context.hosts = {{"vm", 2}};
  profile.contention.threads_per_cpu = 1;
  profile.peer_classes = {{"collective", 20, 0, 0.2}, {"same_node", 100, 0, 1.0}};
  profile.sizes = {{"point_to_point", 8, 15, 10, 80, 0.01},
                   {"point_to_point", 8192, 16383, 90, 737280, 0.9}};
  profile.communicators = {{0, "MPI_COMM_WORLD", 2, 20, 0, 0.2}};
  report::SiteRow site;
  site.call = "MPI_Bcast";
  site.count = 20;
  site.bytes = 20480;
  site.time_s = 0.2;
  profile.sites = {site};
  return profile;
}

std::vector<std::string> names(const CandidateList& list) {
  std::vector<std::string> all;
  for (const Candidate& candidate : list.candidates) all.push_back(candidate.name);
  return all;
}

TEST(Candidates, AreThoseThatMatterMostPromisingFirst) {
  const CandidateList list = candidates_of(profile(), registry(), 2, 0.01);
  EXPECT_EQ(names(list), (std::vector<std::string>{"eager limit 16 KiB", "single copy: none",
                                                   "MPI_Bcast on 2 ranks: binomial",
                                                   "MPI_Bcast on 2 ranks: chain"}));
  EXPECT_EQ(list.candidates[0].settings, (Settings{{"OMPI_MCA_btl_vader_eager_limit", "16384"}}));
  EXPECT_EQ(list.candidates[0].reason,
            "90 % of the point-to-point messages are from 4 KiB to 16 KiB; the limit is 4 KiB");
  EXPECT_NEAR(list.candidates[0].share, 0.45, 1e-12);
  EXPECT_EQ(list.candidates[3].rules.front().algorithm, "2");
  const launcher::Plan plan = plan_of(registry(), {&list.candidates[0], &list.candidates[3]});
  EXPECT_EQ(plan.files.count("coll-bcast2-2.conf"), 1U);
  EXPECT_EQ(plan.environment.size(), 3U);
  EXPECT_EQ(plan.name, "eager limit 16 KiB; MPI_Bcast on 2 ranks: chain");
}

TEST(Candidates, WhatTheCommandSetsIsLeftOut) {
  CandidateList list = candidates_of(profile(), registry(), 2, 0.01);
  leave_out_given(registry(), {"mpiexec", "--mca", "btl_vader_eager_limit", "4096", "./app"}, list);
  EXPECT_EQ(names(list).front(), "single copy: none");
  EXPECT_EQ(list.left_out.back(), "eager limit 16 KiB: the command sets btl_vader_eager_limit");
}

TEST(Candidates, RanksThatShareCoresMayYield) {
  const CandidateList list = candidates_of(profile(), registry(), 1, 0.01);
  EXPECT_EQ(list.candidates.front().name, "yield when idle");
  EXPECT_EQ(list.candidates.front().reason, "2 ranks per node share 1 CPU");
}

TEST(Candidates, PlaitsOwnWaysAreAmongThem) {
  Registry with = registry();
  with.own = {true, true, ""};
  const CandidateList shared = candidates_of(profile(), with, 1, 0.01);
  const std::vector<std::string> all = names(shared);
  for (const char* name : {"Plait's waiting: automatic", "Plait's transport", "yield when idle"}) {
    EXPECT_NE(std::find(all.begin(), all.end(), name), all.end()) << name;
  }
  const auto transport = std::find_if(shared.candidates.begin(), shared.candidates.end(),
                                      [](const Candidate& one) { return !one.transport.empty(); });
  EXPECT_EQ(plan_of(with, {&*transport}).transport, "auto");
  EXPECT_TRUE(transport->probe.empty()) << "its effect depends on the program";
  report::Profile disturbed = profile();
  disturbed.cpu_wait_fraction = 0.1;
  disturbed.context.hosts.push_back({"other", 2});
  const std::vector<std::string> other = names(candidates_of(disturbed, with, 2, 0.01));
  EXPECT_NE(std::find(other.begin(), other.end(), "Plait's waiting: automatic"), other.end());
  EXPECT_EQ(std::find(other.begin(), other.end(), "Plait's transport"), other.end());
}

TEST(Candidates, HaveTheMessagesOfWhichTheyChangeTheTime) {
  const CandidateList list = candidates_of(profile(), registry(), 2, 0.01);
  EXPECT_EQ(list.candidates[0].probe,
            (std::vector<ProbeMessage>{{kExchange, 2, 8192, 90}, {kExchange, 2, 8, 10}}));
  EXPECT_DOUBLE_EQ(list.candidates[0].probe_share, 0.5);
  EXPECT_EQ(list.candidates[3].probe, (std::vector<ProbeMessage>{{"MPI_Bcast", 2, 1024, 1}}));
}

TEST(Candidates, OfOperationsThatViolateAGuidelineComeFirst) {
  const std::vector<Violation> violations =
      violations_of({{"MPI_Bcast", 2, 1024, 5e-6}, {"MPI_Bcast", 2, 2048, 2e-6}});
  const CandidateList list = candidates_of(profile(), registry(), 2, 0.01, violations);
  EXPECT_EQ(names(list).front(), "MPI_Bcast on 2 ranks: binomial");
  EXPECT_DOUBLE_EQ(list.candidates.front().promise, 2.5);
  EXPECT_NE(list.candidates.front().reason.find("MPI_Bcast of 2 KiB 2.00 us"), std::string::npos)
      << list.candidates.front().reason;
}

TEST(Candidates, OfFilesAreHintsInAFile) {
  const Registry mpich = make_registry(
      {launcher::LauncherKind::mpich, "5.0.2", "mpiexec", ""},
      parse_mpivars(
          "\tMPIR_CVAR_POLLS_BEFORE_YIELD=1000\tSCOPE_LOCAL\tNo-object\tMPI_INT\tX\tPolls.\n"),
      "mpivars", {});
  report::Profile files = profile();
  files.sites.front().call = "MPI_File_write_all";
  const CandidateList list = candidates_of(files, mpich, 2, 0.01);
  const auto hint = std::find_if(list.candidates.begin(), list.candidates.end(),
                                 [](const Candidate& one) { return !one.files.empty(); });
  ASSERT_NE(hint, list.candidates.end());
  EXPECT_EQ(hint->reason, "10 % of the time is in calls of MPI for files");
  const launcher::Plan plan = plan_of(mpich, {&*hint});
  EXPECT_EQ(plan.files.at("hints-romio_cb_write-enable"), "romio_cb_write enable\n");
  EXPECT_EQ(plan.environment.at("ROMIO_HINTS"), "{folder}/hints-romio_cb_write-enable");
  EXPECT_EQ(candidates_of(profile(), mpich, 2, 0.01).candidates.size(), 0U);
}

TEST(Candidates, OfFilesUnderOpenMpiAreComponentsAndHintsOfRomio) {
  const Registry open = make_registry(
      {launcher::LauncherKind::openmpi5, "5.0.11", "mpiexec", ""},
      parse_ompi_info("mca:fcoll:base:param:fcoll:value:\nmca:io:base:param:io:value:\n"
                      "mca:io:ompio:param:io_ompio_bytes_per_agg:value:33554432\n"),
      "ompi_info", {});
  report::Profile files = profile();
  files.sites.front().call = "MPI_File_write_all";
  const CandidateList list = candidates_of(files, open, 2, 0.01);
  const auto named = [&](const std::string& name) {
    const auto found = std::ranges::find(list.candidates, name, &Candidate::name);
    EXPECT_NE(found, list.candidates.end()) << name;
    return found == list.candidates.end() ? Candidate{} : *found;
  };
  EXPECT_EQ(named("collective access by vulcan").settings,
            (Settings{{"OMPI_MCA_fcoll", "vulcan"}}));
  EXPECT_EQ(named("buffers of collective access of 4 MiB").settings,
            (Settings{{"OMPI_MCA_io_ompio_bytes_per_agg", "4194304"}}));
  EXPECT_EQ(named("ROMIO").settings, (Settings{{"OMPI_MCA_io", "^ompio"}}));
  const launcher::Plan plan = plan_of(open, {&list.candidates.back()});
  EXPECT_EQ(plan.environment.at("OMPI_MCA_io"), "^ompio");
  EXPECT_EQ(plan.files.at("hints-cb_buffer_size-67108864"), "cb_buffer_size 67108864\n");
}

TEST(Candidates, OnSeveralNodesRulesReachHanOnlyWithoutIt) {
  const std::string han =
      "mca:coll:han:param:coll_han_bcast_dynamic_global_communicator_module:value:6\n";
  const std::string bcast = "mca:coll:tuned:param:coll_tuned_bcast_algorithm:";
  const Registry newer = make_registry(
      {launcher::LauncherKind::openmpi5, "5.0.11", "mpiexec", ""},
      parse_ompi_info(han + "mca:coll:tuned:param:coll_tuned_use_dynamic_rules:value:false\n" +
                      bcast + "enumerator:value:2:chain\n"),
      "ompi_info", {});
  report::Profile two = profile();
  two.context.hosts = {{"a", 1}, {"b", 1}};
  const CandidateList list = candidates_of(two, newer, 2, 0.01);
  ASSERT_EQ(names(list), (std::vector<std::string>{"MPI_Bcast on 2 ranks: without HAN",
                                                   "MPI_Bcast on 2 ranks: chain"}));
  for (const Candidate& candidate : list.candidates) {
    EXPECT_EQ(candidate.settings.at("OMPI_MCA_coll_han_bcast_dynamic_global_communicator_module"),
              "3");
  }
}

TEST(Candidates, ThoseThatCanChangeLessThanTheLeastGainAreLeftOut) {
  const CandidateList list = candidates_of(profile(), registry(), 2, 0.2);
  EXPECT_EQ(names(list), (std::vector<std::string>{"eager limit 16 KiB", "single copy: none"}));
  report::Profile small = profile();
  small.sizes[1].count = 5;  // of 15 messages
  EXPECT_TRUE(candidates_of(small, registry(), 2, 0.2).candidates.empty());
}

TEST(Candidates, AProgramThatOnlyComputesHasNone) {
  report::Profile quiet = profile();
  for (report::RankRow& rank : quiet.ranks) rank.wall_s = 1000;
  const CandidateList list = candidates_of(quiet, registry(), 2, 0.01);
  EXPECT_TRUE(list.candidates.empty());
  EXPECT_NE(std::find(list.left_out.begin(), list.left_out.end(),
                      "settings of point-to-point messages within a node: <0.1 % of the time"),
            list.left_out.end());
}

TEST(Candidates, CallsOfOneOperationWithOtherSizesHaveRulesOfTheirOwn) {
  report::Profile two = profile();
  two.sites.push_back(two.sites.front());
  two.sites.back().bytes = 20ULL << 20;
  const CandidateList list = candidates_of(two, registry(), 2, 0.01);
  ASSERT_EQ(list.candidates.size(), 8U);
  EXPECT_EQ(list.candidates[6].name, "MPI_Bcast on 2 ranks, about 1 MiB: chain, parts of 16 KiB");
  EXPECT_EQ(list.candidates[6].rules.front().segment_bytes, 16384U);
  const CollectiveRule& small = list.candidates[2].rules.front();
  const CollectiveRule& large = list.candidates[4].rules.front();
  EXPECT_EQ(small.to_bytes, 32768U);
  EXPECT_EQ(large.from_bytes, 32768U);
  EXPECT_NE(list.candidates[2].group, list.candidates[4].group);
}

TEST(Tuning, IsNotFinishedWhenItsBudgetIsUsedUp) {
  Tuning tuning;
  tuning.list = candidates_of(profile(), registry(), 2, 0.01);
  for (const Candidate& one : tuning.list.candidates) tuning.search.groups.push_back(one.group);
  tuning.search.contests = {{Stage::screening, {}, {0}, {{1, 1}, {1, 1}}, 0, {}}};
  tuning.search.budget_s = tuning.search.spent_s = 4;
  EXPECT_EQ(verdict_of(tuning),
            "Not finished: 1 of 4 settings tried. The budget is used up: --resume with --budget "
            "goes on.");
}

/// The smallest and the first size beyond of the rules that are tried for large broadcasts of Intel
/// MPI, in a program that also makes small ones.
std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes_of_rules(int ranks_of_other) {
  const Registry registry =
      make_registry({launcher::LauncherKind::intel, "2021.18.1", "mpiexec", ""},
                    parse_impi_info("I_MPI_ADJUST_BCAST \n  MPI Datatype:\n    MPI_CHAR\n"
                                    "  Description:\n    range: 0-3 \n"),
                    "impi_info", {});
  report::Profile made = profile();
  made.communicators.push_back({1, "other", ranks_of_other, 20, 0, 0.2});
  report::SiteRow small = made.sites.front();
  small.bytes = 200;
  report::SiteRow other = made.sites.front();
  other.communicator = 1;
  made.sites.push_back(small);
  made.sites.push_back(other);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes;
  for (const Candidate& candidate : candidates_of(made, registry, 2, 0.01).candidates) {
    for (const CollectiveRule& rule : candidate.rules) {
      if (rule.ranks == 2 && rule.algorithm == "3")
        sizes.emplace_back(rule.from_bytes, rule.to_bytes);
    }
  }
  std::ranges::sort(sizes);
  return sizes;
}

TEST(Candidates, OfIntelMpiDistinguishSizesOnlyOnCommunicatorsOfOneSize) {
  const auto of_one = sizes_of_rules(2);
  ASSERT_EQ(of_one.size(), 2U);
  EXPECT_EQ(of_one[0].first, 0U);
  EXPECT_GT(of_one[0].second, 10U);
  EXPECT_EQ(of_one[1], std::pair(of_one[0].second, kAllSizes));
  const auto of_two = sizes_of_rules(4);
  ASSERT_EQ(of_two.size(), 1U) << "its variable has no sizes for each communicator";
  EXPECT_EQ(of_two[0], std::pair(std::uint64_t{0}, kAllSizes));
}

TEST(TuneFile, KeepsAllThatATuningNeedsToGoOn) {
  Tuning tuning;
  tuning.command = {"mpiexec", "-n", "2", "./app"};
  tuning.launcher = registry().launcher;
  tuning.list = candidates_of(profile(), registry(), 2, 0.01);
  for (const Candidate& one : tuning.list.candidates) tuning.search.groups.push_back(one.group);
  tuning.limit_s = 10;
  while (const auto at = next_pair(tuning.search)) {
    Contest& contest = tuning.search.contests[*at];
    contest.pairs.push_back({contest.after.front() == 0 ? 2.0 : 0.9, 1.0});
  }
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "plait-tune-file";
  std::filesystem::create_directories(folder);
  save_tuning(folder, tuning);
  const Tuning read = load_tuning(folder);
  EXPECT_EQ(read.search.contests, tuning.search.contests);
  EXPECT_EQ(read.list.candidates[3].rules, tuning.list.candidates[3].rules);
  EXPECT_EQ(verdict_of(read),
            "2.00 times as fast with eager limit 16 KiB, confirmed in 9 pairs of runs that had no "
            "part in the choice.");
  for (const std::string& line : result_lines(read, "t", {{"Plan:", "plait-plan.json"}})) {
    EXPECT_LE(line.size(), 80U) << line;
  }
  write_text_file(folder / kTuneName, "{\"schema\":\"plait-tune\",\"schema_version\":1}");
  EXPECT_THROW(load_tuning(folder), Error);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace plait::tune
