// SPDX-License-Identifier: BSD-3-Clause
// Advice on the number of ranks for all-to-all exchanges, against sums by hand.
#include "advise/all_to_all.hpp"

#include <gtest/gtest.h>

#include <string>

namespace plait::advise {
namespace {

/// A path of 1 GB/s.
machine::Path path(const std::string& id, double latency_us) {
  machine::Path path;
  path.id = id;
  for (const std::uint64_t bytes : {std::uint64_t{8}, std::uint64_t{1} << 20}) {
    machine::PingPingPoint point;
    point.bytes = bytes;
    point.time_us.median = bytes == 8 ? latency_us : latency_us + 1049;
    point.bandwidth_gbs = bytes == 8 ? 0 : 1;
    path.mpi_pingping.push_back(point);
  }
  return path;
}

machine::MachineFile machine_of(double network_latency_us) {
  machine::MachineFile machine;
  machine.measured.emplace();
  machine.measured->paths = {path("package", 1), path("network", network_latency_us)};
  machine.topology.packages.resize(2);
  return machine;
}

/// 2 nodes of 4 ranks, which send `bytes` in each of 100 calls.
report::Profile profile_of(std::uint64_t bytes, double share) {
  report::Profile profile;
  profile.wall_s = 10;
  profile.ranks_recorded = 8;
  profile.context.hosts = {{"a", 4}, {"b", 4}};
  profile.world_size = 8;
  profile.communicators = {{0, "MPI_COMM_WORLD", 8, 800, 800 * bytes, 80 * share},
                           {1, "rows", 4, 0, 0, 0}};
  report::SiteRow site;
  site.call = "MPI_Alltoallv";
  site.communicator = 0;
  site.count = 800;
  site.bytes = 800 * bytes;
  site.time_s = 80 * share;
  profile.sites = {site};
  return profile;
}

std::string advice(const report::Profile& profile, const machine::MachineFile& machine) {
  std::string all;
  for (const std::string& sentence : all_to_all_advice(profile, machine, 4)) all += sentence;
  return all;
}

TEST(AllToAllAdvice, NamesTheRanksOfWhichMessagesTakeLeastTime) {
  // Now 4 x 100 us + 8 us and 3 x 1 us + 8 us; 1 rank per node: 100 us + 8 us and 8 us.
  const std::string text = advice(profile_of(4096, 0.5), machine_of(100));
  EXPECT_TRUE(text.starts_with(
      "MPI_Alltoall and the like take 50 % of the ranks' time; with 1 rank per node and 4 times "
      "the threads, their messages are predicted to take 28 %"))
      << text;
}

TEST(AllToAllAdvice, SaysWhereFewerRanksDoNotHelp) {
  // Long messages: a node sends as much with any number of ranks.
  const std::string text = advice(profile_of(64 << 20, 0.5), machine_of(1));
  EXPECT_NE(text.find("fewer ranks per node with threads may not"), std::string::npos) << text;
}

TEST(AllToAllAdvice, IsSilentWithoutSuchCallsOrLinks) {
  EXPECT_EQ(advice(profile_of(4096, 0.05), machine_of(100)), "");
  EXPECT_EQ(advice(report::Profile(), machine_of(100)), "");
  machine::MachineFile unknown = machine_of(100);
  unknown.measured->paths.pop_back();
  EXPECT_EQ(advice(profile_of(4096, 0.5), unknown), "");
}

/// Pencils of 2 x 4: in each call a rank sends `bytes` to its row, and as much to its column.
report::Profile pencils(std::uint64_t bytes) {
  report::Profile profile = profile_of(bytes, 0.25);
  profile.communicators = {{0, "row", 2, 400, 400 * bytes, 10, 1, 2},
                           {1, "column", 4, 800, 800 * bytes, 20, 2, 2},
                           {2, "row", 2, 400, 400 * bytes, 10, 1, 2}};
  report::SiteRow& column = profile.sites.front();
  column.communicator = 1;
  report::SiteRow row = column;
  for (const int communicator : {0, 2}) {
    row.communicator = communicator;
    row.count = 400;
    row.bytes = 400 * bytes;
    row.time_s = 10;
    profile.sites.push_back(row);
  }
  return profile;
}

TEST(AllToAllAdvice, KnowsTheRowsAndColumnsOfPencils) {
  // Now 2 x 100 us + 1 us for messages of a column, 1 us for those of a row, and 32 us for bytes;
  // with 1 rank per node 100 us and 32 us.
  const std::string text = advice(pencils(4096), machine_of(100));
  EXPECT_TRUE(text.starts_with(
      "MPI_Alltoall and the like (on communicators of 2 and 4 ranks) take 50 % of the ranks' "
      "time; with 1 rank per node and 4 times the threads, their messages are predicted to take "
      "57 %"))
      << text;
}

TEST(AllToAllAdvice, IsSilentIfItDoesNotKnowWhichRanksShareANode) {
  for (const char* call : {"MPI_Alltoallv", "MPI_Ialltoall"}) {
    report::Profile rows = profile_of(4096, 0.5);
    rows.sites.push_back(rows.sites.front());
    rows.sites.back().call = call;
    rows.sites.back().communicator = 1;
    EXPECT_EQ(advice(rows, machine_of(100)), "") << call;
  }
}

TEST(AllToAllAdvice, KnowsAllFormsOfTheCalls) {
  for (const char* call :
       {"MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw", "MPI_Alltoall_c", "MPI_Alltoallw_c"}) {
    report::Profile profile = profile_of(4096, 0.5);
    profile.sites.front().call = call;
    EXPECT_NE(advice(profile, machine_of(100)), "") << call;
  }
  for (const char* call : {"MPI_Neighbor_alltoall", "MPI_Ineighbor_alltoallv", "MPI_Allgather"}) {
    report::Profile profile = profile_of(4096, 0.5);
    profile.sites.front().call = call;
    EXPECT_EQ(advice(profile, machine_of(100)), "") << call;
  }
}

/// Exchanges that only start, in 5 % of the time, and 45 % in a call that completes requests.
report::Profile started(const char* start, const char* completion) {
  report::Profile profile = profile_of(4096, 0.05);
  profile.sites.front().call = start;
  report::SiteRow wait;
  wait.call = completion;
  wait.communicator = -1;
  wait.count = 800;
  wait.time_s = 80 * 0.45;
  profile.sites.push_back(wait);
  return profile;
}

TEST(AllToAllAdvice, CountsTheWaitsForExchangesThatOnlyStart) {
  for (const char* start : {"MPI_Ialltoall", "MPI_Ialltoallv", "MPI_Ialltoallw", "MPI_Ialltoallv_c",
                            "MPI_Alltoall_init", "MPI_Alltoallv_init_c"}) {
    for (const char* completion : {"MPI_Wait", "MPI_Waitall", "MPI_Waitsome", "MPI_Test"}) {
      const std::string text = advice(started(start, completion), machine_of(100));
      EXPECT_TRUE(
          text.starts_with("MPI_Alltoall and the like take 50 % of the ranks' time; with 1 "
                           "rank per node and 4 times the threads"))
          << start << ' ' << completion << ": " << text;
    }
  }
  // Waits are not those of blocking exchanges.
  EXPECT_EQ(advice(started("MPI_Alltoallv", "MPI_Waitall"), machine_of(100)), "");
}

TEST(AllToAllAdvice, LeavesOutWaitsThatOtherRequestsShare) {
  for (const char* other : {"MPI_Isend", "MPI_Iallreduce", "MPI_Send_init", "MPI_Rput",
                            "MPI_Ineighbor_alltoall", "MPI_Imrecv"}) {
    report::Profile profile = started("MPI_Ialltoallv", "MPI_Waitall");
    profile.sites.push_back(profile.sites.back());
    profile.sites.back().call = other;
    EXPECT_EQ(advice(profile, machine_of(100)), "") << other;
    profile.sites.front().time_s = 80 * 0.5;
    const std::string text = advice(profile, machine_of(100));
    EXPECT_TRUE(text.starts_with("MPI_Alltoall and the like take at least 50 % of the ranks' time"))
        << other << ": " << text;
  }
  // A few other requests do not matter, unless they are persistent.
  report::Profile few = started("MPI_Ialltoallv", "MPI_Waitall");
  few.sites.push_back(few.sites.back());
  few.sites.back().call = "MPI_Iallgather";
  few.sites.back().count = 80;
  EXPECT_TRUE(advice(few, machine_of(100)).starts_with("MPI_Alltoall and the like take 50 %"));
  few.sites.back().call = "MPI_Recv_init";
  EXPECT_EQ(advice(few, machine_of(100)), "");
  // These create no requests.
  report::Profile probes = started("MPI_Ialltoallv", "MPI_Waitall");
  for (const char* other : {"MPI_Iprobe", "MPI_Init", "MPI_Session_init", "MPI_Intercomm_create"}) {
    probes.sites.push_back(probes.sites.back());
    probes.sites.back().call = other;
    probes.sites.back().time_s = 0;
  }
  EXPECT_TRUE(advice(probes, machine_of(100)).starts_with("MPI_Alltoall and the like take 50 %"));
}

}  // namespace
}  // namespace plait::advise
