// SPDX-License-Identifier: BSD-3-Clause
// Waiting for a CPU: whose fault it is, and that it is blamed on no rank and no call.
#include "report/contention.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/build.hpp"
#include "report/findings.hpp"
#include "report/rank_rows.hpp"
#include "report/verdict.hpp"
#include "synthetic_profiles.hpp"
#include "synthetic_records.hpp"

namespace plait::report {
namespace {

/// Ranks of one thread on one host. Each waited for a CPU between its calls for `wait_s`.
std::vector<trace::RankRecord> records(int ranks, double mpi_s, double wait_s) {
  std::vector<trace::RankRecord> all;
  for (int rank = 0; rank < ranks; ++rank) {
    trace::RankRecord record = synthetic_record(rank, ranks, mpi_s);
    record.host = "n0";
    record.threads[0].outside_wait_s = wait_s;
    record.cpu_wait = {{record.pid, false, 1, 0, 0, 0, 0}, {record.pid, true, 11, 0, wait_s, 0, 0}};
    record.process_cpu_s = 10 - wait_s;
    all.push_back(std::move(record));
  }
  return all;
}

void use_cpus(std::vector<trace::RankRecord>& all, int cpus, double busy_s, double steal_s = 0) {
  for (trace::RankRecord& record : all) {
    record.cpu_use.clear();
    for (int cpu = 0; cpu < cpus; ++cpu) record.cpu_use.push_back({cpu, busy_s, steal_s});
  }
}

Contention contention(const std::vector<trace::RankRecord>& all) {
  Job job;
  job.world_size = static_cast<int>(all.size());
  std::vector<RankRow> rows;
  for (const trace::RankRecord& record : all) {
    job.ranks.push_back(&record);
    rows.push_back(rank_row(record));
  }
  return contention_of(job, rows);
}

Profile profile_of(std::vector<trace::RankRecord> all) {
  RunParts parts;
  parts.run.command = {"mpiexec", "-n", std::to_string(all.size()), "./app"};
  parts.run.exit_code = 0;
  parts.records = std::move(all);
  return assemble_profile(parts);
}

TEST(Contention, of_ranks_on_cores_of_their_own_is_due_to_other_programs) {
  auto all = records(2, 1, 4);
  use_cpus(all, 2, 10);
  const Contention of = contention(all);
  EXPECT_NEAR(of.other_programs_s, 8, 1e-9);
  EXPECT_NEAR(of.own_ranks_s, 0, 1e-9);
  EXPECT_NEAR(of.other_cpus, 0.8, 1e-9) << "of 20 s the ranks used 12, in 10 s";
}

TEST(Contention, of_ranks_that_share_cores_is_their_own) {
  auto all = records(8, 1, 7.5);
  use_cpus(all, 2, 10);
  const Contention of = contention(all);
  EXPECT_NEAR(of.own_ranks_s, 60, 1e-9);
  EXPECT_NEAR(of.other_programs_s, 0, 1e-9);
  EXPECT_NEAR(of.threads_per_cpu, 4, 1e-9);
}

TEST(Contention, of_shared_cores_beside_other_programs_is_divided) {
  auto all = records(4, 1, 6);  // 16 CPU seconds
  use_cpus(all, 2, 10);         // and 4 of others
  const Contention of = contention(all);
  EXPECT_NEAR(of.own_ranks_s, 24 * 8.0 / 12, 1e-9);
  EXPECT_NEAR(of.other_programs_s, 24 * 4.0 / 12, 1e-9);
}

TEST(Contention, of_a_quota_comes_first) {
  auto all = records(2, 1, 3);
  use_cpus(all, 2, 7);
  for (trace::RankRecord& record : all) record.throttled_s = 5;
  const Contention of = contention(all);
  EXPECT_NEAR(of.throttled_s, 5, 1e-9);
  EXPECT_NEAR(of.own_ranks_s + of.other_programs_s, 1, 1e-9);
}

TEST(Contention, with_the_hypervisor_is_counted_beside_it) {
  auto all = records(2, 1, 0);
  use_cpus(all, 2, 10, 1.5);
  EXPECT_NEAR(contention(all).steal_s, 3, 1e-9);
  const Profile profile = profile_of(all);
  EXPECT_EQ(profile.findings.at(0).id, "cpu_steal");
}

TEST(Contention, is_blamed_on_no_rank) {
  // Equal ranks, one of which lost half of its time to another program; the other waits for it.
  auto all = records(2, 1, 0);
  all[0].threads[0].outside_wait_s = 4.5;
  all[0].cpu_wait[1].wait_s = 4.5;
  all[0].process_cpu_s = 5.5;
  all[1].calls[1].time_s += 4.5;
  use_cpus(all, 2, 10);
  const Profile profile = profile_of(all);
  EXPECT_NEAR(profile.ranks[0].compute_wait_s, 4.5, 1e-9);
  EXPECT_NEAR(*profile.efficiencies.load_balance.value, 1, 1e-9);
  EXPECT_LT(*profile.efficiencies.cpu.value, 0.6);
  EXPECT_EQ(profile.findings.at(0).id, "cpu_taken");
  EXPECT_EQ(profile.findings.at(0).severity, "high");
  for (const Finding& finding : profile.findings) EXPECT_NE(finding.id, "load_imbalance");
  EXPECT_NE(profile.verdict.find("(other programs used it)"), std::string::npos) << profile.verdict;
  EXPECT_NE(profile.verdict.find("which cost 45 % of the run. "), std::string::npos)
      << profile.verdict;
}

TEST(Contention, of_calls_within_parallel_regions_is_not_that_of_computation) {
  auto all = records(2, 6, 1);
  for (trace::RankRecord& record : all) {
    record.threads[0].mpi_wait_s = 5;
    record.openmp_view = PLAIT_OPENMP_GOMP;
    record.omp_threads = {{0, record.pid, 4, 0, 6}};
    record.parallel_regions = {{{"/nowhere/app", 0x500, 0}, 1, 1, 10, 4, 0, 6}};  // the whole run
  }
  use_cpus(all, 2, 10);
  EXPECT_NEAR(profile_of(all).ranks[0].compute_s, 4, 1e-9);
  EXPECT_NEAR(profile_of(all).ranks[0].compute_wait_s, 1, 1e-9);
  for (trace::RankRecord& record : all) {
    record.parallel_regions[0].time_s = 4;  // between the calls
    record.omp_threads[0].wait_s = 3;
  }
  EXPECT_NEAR(profile_of(all).ranks[0].compute_wait_s, 3, 1e-9);
}

TEST(Contention, inside_mpi_bounds_the_loss) {
  auto all = records(4, 6, 0);
  for (trace::RankRecord& record : all) {
    record.threads[0].mpi_wait_s = 5;
    record.cpu_wait[1].wait_s = 5;
  }
  use_cpus(all, 2, 10);
  const std::string verdict = profile_of(all).verdict;
  EXPECT_NE(verdict.find("which cost 0 to 50 % of the run: inside MPI they may also"),
            std::string::npos)
      << verdict;
}

TEST(Contention, does_not_change_what_is_said_about_the_program) {
  auto quiet = records(2, 1, 0);
  quiet[0].calls[1].time_s += 4;  // waits for rank 1, which has more to do
  use_cpus(quiet, 2, 10);
  auto busy = quiet;
  for (trace::RankRecord& record : busy) {
    record.last_s += 6;
    record.threads[0].outside_wait_s = 6;
    record.cpu_wait[1].wait_s = 6;
  }
  use_cpus(busy, 2, 16);
  EXPECT_NE(profile_of(quiet).verdict.find("The largest loss is load imbalance"),
            std::string::npos);
  const std::string verdict = profile_of(busy).verdict;
  EXPECT_NE(verdict.find("for a CPU (other programs used it)"), std::string::npos) << verdict;
  EXPECT_NE(verdict.find("The largest loss is load imbalance"), std::string::npos) << verdict;
}

TEST(Contention, of_shared_cores_makes_that_finding_the_first) {
  Profile profile = healthy_profile();
  profile.cpu_wait_fraction = 0.87;
  profile.contention.own_ranks_s = 80;
  profile.contention.other_programs_s = 7;
  profile.findings = {
      {"foreign_processes", "high", "a process of another job shares the ranks' cores", "", "", ""},
      {"oversubscribed", "medium", "64 threads compete for 2 cores", "", "", ""}};
  weigh_placement(profile);
  sort_findings(profile.findings);
  EXPECT_EQ(profile.findings[0].id, "oversubscribed");
  EXPECT_EQ(profile.findings[0].severity, "high");
  EXPECT_NEAR(*profile.findings[0].cost_share, 0.8, 1e-9);
  EXPECT_EQ(profile.findings[1].severity, "low") << "other programs cost 7 %";
  for (const Finding& finding : findings_of(profile)) EXPECT_NE(finding.id, "cpu_taken");
}

TEST(Contention, of_other_programs_is_reported_beside_a_small_process) {
  Profile profile = healthy_profile();
  profile.cpu_wait_fraction = 0.87;
  profile.contention.other_programs_s = 87;
  profile.contention.other_cpus = 1.8;
  profile.contention.cpus = 2;
  profile.findings = {{"foreign_processes", "high",
                       "a process of another job shares the ranks' cores", "", "", ""}};
  weigh_placement(profile);
  std::vector<Finding> all = findings_of(profile);
  all.push_back(profile.findings[0]);
  sort_findings(all);
  EXPECT_EQ(all[0].id, "cpu_taken");
  EXPECT_EQ(all[0].what, "other programs used the ranks' CPUs");
  EXPECT_NE(all[0].evidence.find("other programs used 1.80 of 2 CPUs on average"),
            std::string::npos)
      << all[0].evidence;
}

}  // namespace
}  // namespace plait::report
