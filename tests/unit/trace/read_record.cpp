// SPDX-License-Identifier: BSD-3-Clause
// Tests of read_record and read_records with complete, killed, foreign, cut off and damaged files.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "plait/error.hpp"
#include "synthetic_resources.hpp"
#include "trace/rank_record.hpp"

namespace plait::trace {
namespace {

using test::add_resources;
using test::SyntheticRecord;

class ReadRecord : public ::testing::Test {
protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("plait-records-" + std::to_string(::getpid()) + "-" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path file(const std::string& name = "a-1.rec") const {
    return folder_ / name;
  }

  /// The message of the error that reading `path` must throw.
  static std::string error_of(const std::filesystem::path& path) {
    try {
      read_record(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "(no error)";
  }

  std::filesystem::path folder_;
};

/// A record with an entry in every table.
SyntheticRecord full_record() {
  SyntheticRecord record;
  plait_record_header& head = record.header();
  head.host = record.string("node1");
  head.program = record.string("/bin/app");
  head.library = record.string("Open MPI 4.1.4");
  head.omp_runtime = record.string("libgomp");
  head.openmp_view = PLAIT_OPENMP_GOMP;
  head.cgroup_quota_cores = 1.5;
  head.at_init_begin = {1000 + 2'000'000'000, 0, 6'000'000'000};
  head.at_init_end = {1000 + 3'000'000'000, 0, 6'500'000'000};
  head.at_last = {1000 + 20'000'000'000, 0, 15'000'000'000};
  record.table<plait_function_record>(
      PLAIT_SECTION_FUNCTIONS,
      {{record.string("MPI_Send"), 0}, {record.string("MPI_Allreduce"), 1}});
  record.table<plait_module_record>(PLAIT_SECTION_MODULES,
                                    {{0x1000, 0x9000, 0x1000, record.string("/bin/app"), 0}});
  plait_site_record site{};
  site.key = 7;
  site.depth = 2;
  site.pc[0] = 0x1101;
  site.pc[1] = 0x1201;
  record.table<plait_site_record>(PLAIT_SECTION_SITES, {{}, site});
  record.table<std::int32_t>(PLAIT_SECTION_RANKS, {0, 1, 4});
  record.table<plait_comm_record>(PLAIT_SECTION_COMMS,
                                  {{}, {record.string("halo"), 2, 1, 1, 0, 3, 99}});
  plait_call_entry send{};
  send.key = PLAIT_CALL_KEY(0, 1, 1, PLAIT_PEER_NODE, 4);
  send.count = 3;
  send.bytes = 24;
  send.ticks = 2'000'000;
  send.max_ticks = 1'000'000;
  send.before_ticks = 4'000'000'000;
  send.wait_ticks = 1'000'000;
  plait_call_entry wild = send;
  wild.key = PLAIT_CALL_KEY(700, 9999, 999, 15, 63);
  plait_call_entry far = send;
  far.key = PLAIT_CALL_KEY(1, 9999, 999, 15, 63);
  plait_thread_record thread{};
  thread.tid = 42;
  thread.omp_thread = 0;
  thread.first_ticks = 1000 + 4'000'000'000;
  thread.last_ticks = 1000 + 6'000'000'000;
  thread.mpi_ticks = 2'000'000'000;
  thread.mpi_wait_ticks = 500'000'000;
  thread.outside_wait_ticks = 1'000'000'000;
  thread.calls_capacity = 4;
  thread.calls_offset = record.place<plait_call_entry>({{}, send, wild, far});
  thread.peers_capacity = 2;
  thread.peers_offset = record.place<plait_peer_entry>({{1 + 2 * 5, 3, 24}, {1 + 2 * 5 + 1, 1, 8}});
  thread.colls_capacity = 1;
  thread.colls_offset =
      record.place<plait_coll_entry>({{PLAIT_KEY_USED | (1ULL << 48) | (1ULL << 32) | 0, 10, 80}});
  record.table<plait_thread_record>(PLAIT_SECTION_THREADS, {thread, thread});
  record.table<plait_parallel_record>(
      PLAIT_SECTION_PARALLEL,
      {{0x1300, 10, 20, 2'000'000'000, 3'000'000'000, 1'000'000'000, 400'000'000}});
  record.table<plait_omp_thread_record>(PLAIT_SECTION_OMP_THREADS,
                                        {{1, 43, 2'000'000'000, 1'000'000'000, 200'000'000}});
  record.table<plait_region_record>(PLAIT_SECTION_REGIONS,
                                    {{record.string("step"), 0, 5, 2'000'000'000, 1'000'000'000},
                                     {record.string("halo"), 1, 5, 1'000'000'000, 1'000'000'000},
                                     {record.string("wild"), 77, 1, 0, 0}});
  plait_placement_record placement{};
  placement.phase = PLAIT_PHASE_AFTER_PARALLEL;
  placement.tid = 43;
  placement.thread = 1;
  placement.last_cpu = 65;
  placement.allowed[0] = 5;
  placement.allowed[1] = 2;
  record.table<plait_placement_record>(PLAIT_SECTION_PLACEMENT, {placement});
  record.table<plait_cpu_wait_record>(
      PLAIT_SECTION_CPU_WAIT, {{43, 1, 1000 + 2'000'000'000, 1'500'000'000, 500'000'000, 4, 6}});
  record.table<plait_cpu_use_record>(
      PLAIT_SECTION_CPU_USE,
      {{3, 0, 5'000'000'000, 100'000'000}, {3, 1, 8'000'000'000, 300'000'000}, {4, 1, 1, 1}});
  record.header().process_cpu_ns[0] = 1'000'000'000;
  record.header().process_cpu_ns[1] = 3'500'000'000;
  record.header().throttled_ns[1] = 250'000'000;
  plait_foreign_record foreign{};
  foreign.pid = 9;
  foreign.name = record.string("miner\xff\xc3\xa4");
  foreign.allowed[0] = 1;
  foreign.cpu_share = 0.5;
  record.table<plait_foreign_record>(PLAIT_SECTION_FOREIGN, {foreign});
  add_resources(record);
  record.table<std::uint32_t>(PLAIT_SECTION_UNSEEN, {record.string("MPI_Plait_unknown")});
  record.table<std::uint32_t>(PLAIT_SECTION_NOTES, {record.string("hello")});
  return record;
}

TEST_F(ReadRecord, TrafficIsThatOfTheWholeRecord) {
  full_record().write(file());
  const RankRecord whole = read_record(file()), traffic = read_traffic(file());
  EXPECT_EQ(traffic.file, whole.file);
  EXPECT_EQ(traffic.state, whole.state);
  EXPECT_EQ(traffic.pid, whole.pid);
  EXPECT_EQ(traffic.world_rank, whole.world_rank);
  ASSERT_EQ(traffic.threads.size(), 1u);
  EXPECT_EQ(traffic.threads[0].mpi_s, whole.threads[0].mpi_s);
  ASSERT_EQ(traffic.peers.size(), 2u);
  EXPECT_EQ(traffic.peers[1].bytes, whole.peers[1].bytes);
  ASSERT_EQ(traffic.collectives.size(), 1u);
  EXPECT_EQ(traffic.collectives[0].function, "MPI_Allreduce");
  EXPECT_EQ(traffic.collectives[0].count, whole.collectives[0].count);
  ASSERT_EQ(traffic.comms.size(), 2u);
  EXPECT_EQ(traffic.comms[1].members, (RankGroup{0, 1}));
  ASSERT_EQ(traffic.regions.size(), 3u);
  EXPECT_EQ(traffic.regions[1].name, "halo");
  EXPECT_TRUE(traffic.calls.empty() && traffic.sites.empty() && traffic.notes.empty());
}

TEST_F(ReadRecord, ACompleteRecordIsReadInSecondsAndNames) {
  full_record().write(file());
  const RankRecord record = read_record(file());
  EXPECT_EQ(record.host, "node1");
  EXPECT_EQ(record.program, "/bin/app");
  EXPECT_EQ(record.library, "Open MPI 4.1.4");
  EXPECT_EQ(record.omp_runtime, "libgomp");
  EXPECT_EQ(record.openmp_view, PLAIT_OPENMP_GOMP);
  EXPECT_DOUBLE_EQ(record.start_unix_s, 1.7e9);
  EXPECT_DOUBLE_EQ(record.init_begin_s, 1.0);
  EXPECT_DOUBLE_EQ(record.init_end_s, 1.5);
  EXPECT_DOUBLE_EQ(record.last_s, 10.0);
  EXPECT_EQ(record.cgroup_quota_cores, 1.5);

  ASSERT_EQ(record.threads.size(), 1u);  // in two records
  EXPECT_DOUBLE_EQ(record.threads[0].mpi_s, 2.0);
  EXPECT_DOUBLE_EQ(record.threads[0].mpi_wait_s, 0.5);
  EXPECT_DOUBLE_EQ(record.threads[0].outside_wait_s, 1.0);
  EXPECT_DOUBLE_EQ(record.threads[0].first_s, 2.0);
  ASSERT_EQ(record.calls.size(), 4u);
  const CallEntry& send = record.calls[0];
  EXPECT_EQ(send.function, "MPI_Send");
  EXPECT_FALSE(send.collective);
  EXPECT_DOUBLE_EQ(send.wait_s, 0.0005);
  EXPECT_EQ(send.site, 1u);
  EXPECT_EQ(send.comm, 1u);
  EXPECT_EQ(send.peer, PLAIT_PEER_NODE);
  EXPECT_EQ(send.size_class, 4);
  EXPECT_EQ(send.count, 3u);
  EXPECT_EQ(send.bytes, 24u);
  EXPECT_DOUBLE_EQ(send.time_s, 1e-3);
  EXPECT_DOUBLE_EQ(send.max_s, 5e-4);
  EXPECT_DOUBLE_EQ(send.before_s, 2.0);
  EXPECT_EQ(record.calls[2].thread, 0u);

  ASSERT_EQ(record.peers.size(), 2u);
  EXPECT_EQ(record.peers[0].world_rank, 5);
  EXPECT_FALSE(record.peers[0].collective);
  EXPECT_EQ(record.peers[0].messages, 6u) << "summed over the two threads";
  EXPECT_TRUE(record.peers[1].collective);
  ASSERT_EQ(record.collectives.size(), 1u);
  EXPECT_EQ(record.collectives[0].function, "MPI_Allreduce");
  EXPECT_EQ(record.collectives[0].comm, 1u);
  EXPECT_EQ(record.collectives[0].root, -1);
  EXPECT_EQ(record.collectives[0].bytes, 160u);

  ASSERT_EQ(record.sites.size(), 2u);
  ASSERT_EQ(record.sites[1].frames.size(), 2u);
  EXPECT_EQ(record.sites[1].frames[0].offset, 0x1100u) << "within the call, not after it";
  EXPECT_EQ(record.sites[1].frames[0].pc, 0x1101u);
  ASSERT_EQ(record.comms.size(), 2u);
  EXPECT_EQ(record.comms[1].name, "halo");
  EXPECT_EQ(record.comms[1].members, (RankGroup{0, 1}));
  EXPECT_EQ(record.comms[1].remote_members, (RankGroup{4}));

  ASSERT_EQ(record.parallel_regions.size(), 1u);
  EXPECT_EQ(record.parallel_regions[0].address.offset, 0x1300u);
  EXPECT_DOUBLE_EQ(record.parallel_regions[0].mean_threads, 2.0);
  EXPECT_DOUBLE_EQ(record.parallel_regions[0].busy_s, 1.5);
  EXPECT_DOUBLE_EQ(record.parallel_regions[0].idle_s, 0.5);
  ASSERT_EQ(record.omp_threads.size(), 1u);
  EXPECT_DOUBLE_EQ(record.omp_threads[0].idle_s, 0.5);
  ASSERT_EQ(record.regions.size(), 3u);
  EXPECT_EQ(record.regions[0].parent, -1);
  EXPECT_EQ(record.regions[1].parent, 0);
  EXPECT_EQ(record.regions[1].name, "halo");
  EXPECT_EQ(record.regions[2].parent, -1) << "a parent that does not exist";
  ASSERT_EQ(record.placement.size(), 1u);
  EXPECT_EQ(record.placement[0].allowed, (std::vector<int>{0, 2, 65}));
  EXPECT_DOUBLE_EQ(record.parallel_regions.at(0).wait_s, 0.2);
  EXPECT_DOUBLE_EQ(record.omp_threads.at(0).wait_s, 0.1);
  ASSERT_EQ(record.cpu_use.size(), 1u) << "CPU 4 has no first sample";
  EXPECT_EQ(record.cpu_use[0].cpu, 3);
  EXPECT_DOUBLE_EQ(record.cpu_use[0].busy_s, 3.0);
  EXPECT_DOUBLE_EQ(record.cpu_use[0].steal_s, 0.2);
  EXPECT_DOUBLE_EQ(record.process_cpu_s, 2.5);
  EXPECT_DOUBLE_EQ(record.throttled_s, 0.25);
  ASSERT_EQ(record.cpu_wait.size(), 1u);
  EXPECT_TRUE(record.cpu_wait[0].at_end);
  EXPECT_DOUBLE_EQ(record.cpu_wait[0].cpu_s, 1.5);
  EXPECT_DOUBLE_EQ(record.cpu_wait[0].at_s, 1.0);
  ASSERT_EQ(record.foreign.size(), 1u);
  EXPECT_EQ(record.foreign[0].name, "miner?\xc3\xa4") << "valid UTF-8";
  EXPECT_EQ(record.unseen_entry_points, (std::vector<std::string>{"MPI_Plait_unknown"}));
  ASSERT_EQ(record.notes.size(), 2u);
  EXPECT_EQ(record.notes[1], "hello");
}

TEST_F(ReadRecord, EntriesWithUndefinedReferencesAreLeftOutOrMadeUnknown) {
  full_record().write(file());
  const RankRecord record = read_record(file());
  EXPECT_NE(record.notes[0].find("2 table entries"), std::string::npos) << record.notes[0];
  EXPECT_EQ(record.calls[1].function, "MPI_Allreduce");
  EXPECT_EQ(record.calls[1].site, 0u);
  EXPECT_EQ(record.calls[1].comm, 0u);
  EXPECT_EQ(record.calls[1].peer, PLAIT_PEER_NONE);
}

TEST_F(ReadRecord, AKilledProcessEndsAtItsLastCall) {
  SyntheticRecord synthetic = full_record();
  synthetic.header().at_last = {};
  synthetic.header().state = PLAIT_STATE_INITIALIZED;
  synthetic.header().ticks_per_s = 1.9e9;  // less accurate than the samples of MPI_Init
  synthetic.write(file());
  const RankRecord record = read_record(file());
  EXPECT_EQ(record.state, PLAIT_STATE_INITIALIZED);
  EXPECT_DOUBLE_EQ(record.last_s, 3.0);
}

TEST_F(ReadRecord, AProcessThatEndedAtOnceUsesTheCalibratedClock) {
  SyntheticRecord synthetic;
  synthetic.header().state = PLAIT_STATE_LOADED;
  synthetic.header().world_rank = -1;
  synthetic.header().at_last = {1000 + 2'000'000, 0, 5'000'900'000};  // 0.9 ms: too short
  synthetic.write(file());
  const RankRecord record = read_record(file());
  EXPECT_DOUBLE_EQ(record.last_s, 1e-3);
  EXPECT_EQ(record.world_rank, -1);
  EXPECT_EQ(record.sites.size(), 1u);
  EXPECT_EQ(record.comms.size(), 1u);
}

TEST_F(ReadRecord, AForeignFileIsRefused) {
  std::ofstream(file()) << "this is text, and quite long enough";
  EXPECT_NE(error_of(file()).find("not a record file"), std::string::npos) << error_of(file());
  std::ofstream(file("empty.rec")).close();
  EXPECT_NE(error_of(file("empty.rec")).find(": empty: its process"), std::string::npos);
  EXPECT_NE(error_of(folder_).find("not a regular file"), std::string::npos);
  EXPECT_NE(error_of(file("missing.rec")).find("cannot be read"), std::string::npos);
}

TEST_F(ReadRecord, MembersAreRegularRuns) {
  SyntheticRecord synthetic = full_record();
  synthetic.table<plait_rank_run>(PLAIT_SECTION_RANKS,
                                  {{0, 100'000, 1}, {6, 3, 4}, {40, 1, 0}, {-1, 2, 0}});
  synthetic.table<plait_comm_record>(
      PLAIT_SECTION_COMMS,
      {{}, {0, 100'000, 1, 0, 0, 0, 1}, {0, 4, 1, 2, 1, 0, 2}, {0, 5, 1, 0, 1, 0, 3}});
  synthetic.write(file());
  const std::vector<Communicator> comms = read_record(file()).comms;
  ASSERT_EQ(comms.size(), 4u);
  EXPECT_EQ(comms[1].members.size(), 100'000u);
  EXPECT_EQ(comms[1].members[99'999], 99'999);
  EXPECT_EQ(comms[2].members, (RankGroup{6, 10, 14, 40}));
  EXPECT_EQ(comms[2].remote_members, (RankGroup{-1, -1}));
  EXPECT_TRUE(comms[3].members.empty()) << "the table does not have so many";
}

TEST_F(ReadRecord, NeighboursAreMembersUnlessTheyAreOfSeveralTopologies) {
  SyntheticRecord synthetic = full_record();
  synthetic.table<plait_rank_run>(PLAIT_SECTION_RANKS, {{0, 4, 1}});
  synthetic.table<plait_comm_record>(PLAIT_SECTION_COMMS,
                                     {{}, {0, 4, 1, 0, 0, 0, 1}, {0, 4, 1, 0, 0, 1, 1}});
  synthetic.table<plait_source_record>(PLAIT_SECTION_SOURCES,
                                       {{1, 0}, {1, 2}, {2, 3}, {1, 4}, {2, -1}, {2, 0}});
  synthetic.write(file());
  const std::vector<Communicator> comms = read_record(file()).comms;
  ASSERT_EQ(comms.size(), 3u);
  EXPECT_EQ(comms[1].sources, (std::vector<int>{0, 2})) << "there is no member 4";
  EXPECT_EQ(comms[2].sources, std::vector<int>{});
  synthetic.table<plait_source_record>(PLAIT_SECTION_SOURCES, {{3, 0}});
  synthetic.write(file());
  EXPECT_NE(error_of(file()).find("has neighbours in a communicator 3"), std::string::npos);
}

TEST_F(ReadRecord, AnotherVersionIsRefusedByName) {
  SyntheticRecord synthetic = full_record();
  synthetic.header().version = PLAIT_RECORD_VERSION + 1;
  synthetic.write(file());
  EXPECT_NE(error_of(file()).find("reads versions 3 to 6"), std::string::npos) << error_of(file());
}

TEST_F(ReadRecord, ACutOffFileIsRefused) {
  const SyntheticRecord synthetic = full_record();
  for (const std::size_t bytes : {9UL, 100UL, 4095UL, 4096UL, 5000UL, 60000UL}) {
    synthetic.write(file(), bytes);
    EXPECT_NE(error_of(file()).find("cut off"), std::string::npos) << bytes << error_of(file());
  }
}

TEST_F(ReadRecord, ImpossibleTablesAreRefused) {
  const auto refused = [this](auto&& spoil, const char* expected) {
    SyntheticRecord synthetic = full_record();
    spoil(synthetic.header());
    synthetic.write(file());
    EXPECT_NE(error_of(file()).find(expected), std::string::npos) << error_of(file());
  };
  auto sites = [](plait_record_header& head) -> plait_section_header& {
    return head.sections[PLAIT_SECTION_SITES];
  };
  refused([&](auto& head) { sites(head).offset = UINT64_MAX - 7; }, "exceed its");
  refused([&](auto& head) { sites(head).offset += 4; }, "misaligned offset");
  refused([&](auto& head) { sites(head).count = 1000; }, "only 2 fit");
  refused([&](auto& head) { sites(head).count = sites(head).capacity = UINT32_MAX; }, "exceed its");
  refused([&](auto& head) { sites(head).entry_bytes = 8; }, "instead of");
  refused([](auto& head) { head.state = 17; }, "state");
  refused([](auto& head) { head.header_bytes = 8; }, "header");
  refused(
      [](auto& head) {
        head.ticks_per_s = 0;
        head.at_last = head.at_init_begin = head.at_init_end = {};
      },
      "clock");
}

TEST_F(ReadRecord, TheFurtherPartsOfATableAreRead) {
  SyntheticRecord synthetic = full_record();
  plait_section_header& table = synthetic.header().sections[PLAIT_SECTION_REGIONS];
  const std::uint32_t name = synthetic.string("many");
  std::vector<plait_region_record> entries(7, plait_region_record{name, 0, 1, 0, 0});
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i].count = i;
  const auto part = [&](std::size_t first, std::size_t room) {
    return synthetic.place(std::vector<plait_region_record>(
        entries.begin() + static_cast<std::ptrdiff_t>(first),
        entries.begin() + static_cast<std::ptrdiff_t>(std::min(first + room, entries.size()))));
  };
  table = {part(0, 2), sizeof(plait_region_record), 2, 7, 0, {part(2, 2), part(4, 4)}};
  synthetic.write(file());
  const RankRecord record = read_record(file());
  ASSERT_EQ(record.regions.size(), 7u);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(record.regions[i].count, i);
  table.more[1] = 0;
  synthetic.write(file());
  EXPECT_NE(error_of(file()).find("only 4 fit"), std::string::npos) << error_of(file());
}

TEST_F(ReadRecord, RandomDamageNeverCrashes) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    SyntheticRecord synthetic = full_record();
    auto* bytes = reinterpret_cast<unsigned char*>(&synthetic.header());
    for (int i = 0; i < 40; ++i) {
      bytes[8 + random() % 16000] = static_cast<unsigned char>(random());
    }
    synthetic.write(file());
    try {
      read_record(file());
    } catch (const Error&) {
      continue;  // refused with an Error, as it should be
    }
  }
}

TEST_F(ReadRecord, RecordsOfAFolderAreSortedByRankAndProblemsAreSentences) {
  for (const int rank : {2, 0, -1, 1}) {
    SyntheticRecord synthetic = full_record();
    synthetic.header().world_rank = rank;
    synthetic.header().world_size = 3;
    synthetic.header().pid = 100 + rank;
    synthetic.write(file("node-" + std::to_string(100 + rank) + ".rec"));
  }
  std::ofstream(file("damaged.rec")) << "not one of ours";
  std::ofstream(file("note.txt")) << "left alone";
  std::vector<std::string> problems;
  const auto records = read_records(folder_, &problems);
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].world_rank, 0);
  EXPECT_EQ(records[2].world_rank, 2);
  EXPECT_EQ(records[3].world_rank, -1);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("damaged.rec"), std::string::npos);
  EXPECT_EQ(read_records(folder_, nullptr).size(), 4u);
  EXPECT_THROW(read_records(folder_ / "nowhere", nullptr), Error);
}

}  // namespace
}  // namespace plait::trace
