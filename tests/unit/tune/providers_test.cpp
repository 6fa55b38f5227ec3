// SPDX-License-Identifier: BSD-3-Clause
// Providers of libfabric and network modules of MPICH: what tools print, and what is tried by it.
#include "tune/providers.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tune/candidates.hpp"
#include "tune/prober.hpp"

namespace plait::tune {
namespace {

using launcher::LauncherKind;

constexpr const char* kFiInfo =
    "provider: tcp\n    fabric: 127.0.0.1/32\n    domain: lo\n    version: 204.0\n"
    "provider: tcp;ofi_rxm\n    fabric: 192.0.2.0/24\n    domain: eth0\n"
    "provider: sockets\n    domain: lo\n"
    "provider: shm\n    domain: shm\n"
    "provider: psm3\n    domain: psm3_0\n";

/// Two ranks on two nodes, which exchange messages of 1 MiB for half of the time.
MessageUse remote_use() {
  MessageUse use;
  use.mpi_share = use.message_share = 0.5;
  use.remote_share = 1;
  use.nodes = 2;
  use.threads_per_cpu = 0.25;
  use.sizes = {{"point_to_point", 1 << 20, (2 << 20) - 1, 10, 10 << 20, 1}};
  return use;
}

Registry open_mpi() {
  std::string listed;
  const auto add = [&](const std::string& name, const std::string& value) {
    listed += "mca:x:y:param:" + name + ":value:" + value + "\n";
  };
  add("btl_tcp_eager_limit", "65536");
  add("btl_tcp_max_send_size", "131072");
  add("btl_tcp_links", "1");
  add("btl_tcp_sndbuf", "0");
  add("btl_tcp_rcvbuf", "0");
  add("btl_tcp_progress_thread", "0");
  add("pml_ob1_send_pipeline_depth", "3");
  add("mpi_preconnect_all", "false");
  add("pml", "");
  add("mtl_ofi_provider_include", "");
  return make_registry({LauncherKind::openmpi5, "5.0.11", "mpiexec", ""}, parse_ompi_info(listed),
                       "ompi_info", {});
}

Registry mpich() {
  const std::string end = "\tSCOPE_LOCAL\tNo-object\tMPI_CHAR\tX\tText.\n";
  return make_registry(
      {LauncherKind::mpich, "5.0.2", "mpiexec", ""},
      parse_mpivars("\tMPIR_CVAR_CH4_NETMOD=" + end + "\tMPIR_CVAR_ASYNC_PROGRESS=0" + end),
      "mpivars", {});
}

std::vector<std::string> names(const CandidateList& list) {
  std::vector<std::string> all;
  for (const Candidate& candidate : list.candidates) all.push_back(candidate.name);
  return all;
}

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::ranges::find(all, one) != all.end();
}

TEST(Providers, AreThoseThatFiInfoLists) {
  EXPECT_EQ(
      parse_fi_info(kFiInfo),
      (std::vector<Provider>{{"tcp", true}, {"sockets", false}, {"shm", false}, {"psm3", true}}));
  EXPECT_TRUE(parse_fi_info("fi_getinfo: -61 (No data available)\n").empty());
}

TEST(Providers, HaveTcpAsFallbackIfLibfabricPrefersThem) {
  const std::vector<std::string> all{"psm3", "verbs", "tcp", "sockets"};
  EXPECT_EQ(with_fallback(all, "verbs"), "verbs,tcp");
  EXPECT_EQ(with_fallback(all, "tcp"), "tcp");
  EXPECT_EQ(with_fallback(all, "sockets"), "sockets") << "tcp would take its place";
  EXPECT_EQ(with_fallback({"verbs"}, "verbs"), "verbs");
  EXPECT_EQ(first_provider("verbs,tcp"), "verbs");
}

TEST(Providers, ThatRanksPrintAreRead) {
  // As Intel MPI 2021.18, MPICH 5.0 and Open MPI 5.0 print them.
  EXPECT_EQ(provider_used("[0] MPI startup(): libfabric version: 2.4.0-impi\n"
                          "[0] MPI startup(): libfabric provider: tcp\n"),
            "tcp");
  EXPECT_EQ(provider_used("provider: tcp, score = 4\n"
                          "libfabric provider: verbs;ofi_rxm - 192.0.2.0/24\n"),
            "verbs");
  EXPECT_EQ(provider_used("[n0:1] mtl_ofi_component.c:343: mtl:ofi:provider: tcp\n"
                          "[n0:1] mtl_ofi_component.c:368: mtl:ofi:provider:domain: eth0\n"),
            "tcp");
  EXPECT_EQ(provider_used("OK\n"), "");
}

TEST(Providers, TheFallbackIsNotTakenForTheProvider) {
  Registry registry = mpich();
  add_providers(std::vector<Provider>{{"verbs", true}, {"tcp", true}}, registry);
  const Settings settings{{"FI_PROVIDER", "verbs,tcp"}};
  EXPECT_EQ(problem_of(registry, settings), "");
  EXPECT_TRUE(
      ignored_inside(registry, settings, "libfabric provider: verbs;ofi_rxm - x\n").empty());
  EXPECT_EQ(ignored_inside(registry, settings, "libfabric provider: tcp - x\n"),
            std::vector<std::string>{"verbs (it uses tcp)"});
}

TEST(Providers, OnlyThoseThatReachOtherNodesAreTried) {
  Registry registry = open_mpi();
  add_providers(parse_fi_info(kFiInfo), registry);
  const CandidateList list = candidates_of(remote_use(), registry, 4, 0.01);
  const std::vector<std::string> all = names(list);
  EXPECT_TRUE(has(all, "libfabric's provider tcp"));
  EXPECT_TRUE(has(all, "libfabric's provider psm3"));
  EXPECT_FALSE(has(all, "libfabric's provider shm"));
  EXPECT_FALSE(has(all, "libfabric's provider sockets"));
  const auto tcp = std::ranges::find(list.candidates, "libfabric's provider tcp", &Candidate::name);
  EXPECT_EQ(tcp->settings,
            (Settings{{"OMPI_MCA_pml", "cm"}, {"OMPI_MCA_mtl_ofi_provider_include", "tcp"}}));
  EXPECT_FALSE(tcp->probe.empty());
  EXPECT_NE(problem_of(registry, {{"OMPI_MCA_mtl_ofi_provider_include", "sockets"}}), "");
}

TEST(Providers, WithoutFiInfoNoneIsTriedAndTheListSaysSo) {
  Registry registry = open_mpi();
  add_providers(std::nullopt, registry);
  const CandidateList list = candidates_of(remote_use(), registry, 4, 0.01);
  EXPECT_TRUE(
      has(list.left_out, "fabric: no fi_info that lists the providers of libfabric was found"));
  add_providers(parse_fi_info("provider: tcp\n    domain: lo\n"), registry = open_mpi());
  EXPECT_TRUE(has(candidates_of(remote_use(), registry, 4, 0.01).left_out,
                  "fabric: fi_info lists no provider that reaches other nodes"));
}

TEST(Providers, OfMpichNeedItsModule) {
  EXPECT_EQ(parse_mpichversion("MPICH Version:\t5\nMPICH Device:      \tch4:ucx ofi\n"),
            (std::vector<std::string>{"ucx", "ofi"}));
  EXPECT_TRUE(parse_mpichversion("MPICH Device: ch3:nemesis\n").empty());
  Registry registry = mpich();
  keep_network_modules({"ucx", "ofi"}, registry);
  add_providers(parse_fi_info(kFiInfo), registry);
  const CandidateList list = candidates_of(remote_use(), registry, 4, 0.01);
  EXPECT_TRUE(has(names(list), "network module ofi"));
  const auto tcp = std::ranges::find(list.candidates, "libfabric's provider tcp", &Candidate::name);
  ASSERT_NE(tcp, list.candidates.end());
  EXPECT_EQ(tcp->settings, (Settings{{"FI_PROVIDER", "tcp"}, {"MPIR_CVAR_CH4_NETMOD", "ofi"}}));
  Registry without = mpich();
  keep_network_modules({"ucx"}, without);
  add_providers(parse_fi_info(kFiInfo), without);
  EXPECT_EQ(names(candidates_of(remote_use(), without, 4, 0.01)),
            std::vector<std::string>{"asynchronous progress"});
}

TEST(Providers, OfMpichAreNotIgnoredBecauseItsToolPrintsNoText) {
  Registry registry = mpich();
  keep_network_modules({"ucx", "ofi"}, registry);
  std::vector<std::string> ignored;
  EXPECT_TRUE(compare_values(registry, {{"MPIR_CVAR_CH4_NETMOD", "ofi"}},
                             {{"MPIR_CVAR_CH4_NETMOD", ""}}, "mpivars", ignored)
                  .empty());
  EXPECT_TRUE(ignored.empty());
  compare_values(registry, {{"MPIR_CVAR_ASYNC_PROGRESS", "1"}}, {{"MPIR_CVAR_ASYNC_PROGRESS", "0"}},
                 "mpivars", ignored);
  EXPECT_EQ(ignored, std::vector<std::string>{"MPIR_CVAR_ASYNC_PROGRESS"});
}

TEST(Providers, TheOnlyOneIsTheDefault) {
  Registry registry = mpich();
  keep_network_modules({"ofi"}, registry);
  add_providers(parse_fi_info("provider: tcp\n    domain: eth0\n"), registry);
  EXPECT_TRUE(has(candidates_of(remote_use(), registry, 4, 0.01).left_out,
                  "fabric: tcp is the only provider that reaches other nodes"));
}

TEST(RemoteMessages, TryPartsWindowsAndConnections) {
  Registry registry = open_mpi();
  registry.most_socket_bytes = 2 << 20;
  const CandidateList list = candidates_of(remote_use(), registry, 4, 0.01);
  const std::vector<std::string> all = names(list);
  for (const char* name : {"4 TCP connections per pair", "parts of messages between nodes 256 KiB",
                           "8 parts of a message at a time", "TCP windows 1 MiB",
                           "connections at the start", "asynchronous progress"}) {
    EXPECT_TRUE(has(all, name)) << name;
  }
  EXPECT_TRUE(has(list.left_out,
                  "TCP windows 4 MiB: the system grants a socket at most 2 MiB "
                  "(net.core.wmem_max, rmem_max)"));
  MessageUse full = remote_use();
  full.threads_per_cpu = 1;
  EXPECT_TRUE(has(candidates_of(full, registry, 4, 0.01).left_out,
                  "asynchronous progress: there is no free CPU for each rank"));
  full.remote_share = 0;
  EXPECT_TRUE(candidates_of(full, registry, 4, 0.01).candidates.empty());
}

}  // namespace
}  // namespace plait::tune
