// SPDX-License-Identifier: BSD-3-Clause
// Parts of a profile's assembly: matrix, signals in launchers' output, the page's data.
#include <gtest/gtest.h>

#include "plait/error.hpp"
#include "report/call_tables.hpp"
#include "report/implied_traffic.hpp"
#include "report/missing.hpp"
#include "report/page.hpp"
#include "synthetic_records.hpp"

namespace plait::report {
namespace {

using Entries = std::vector<MatrixEntry>;

/// The collective part of the matrix of three ranks that each call `function` twice.
Entries implied(const std::string& function, int root) {
  std::vector<trace::RankRecord> records;
  for (int rank = 0; rank < 3; ++rank) {
    records.push_back(synthetic_record(rank, 3, 1));
    records.back().collectives = {{function, 1, root, 2, 16}};
  }
  return communication_matrix({&records[0], &records[1], &records[2]}, 3, 100).collective;
}

TEST(ImpliedTraffic, flows_from_the_root_of_a_broadcast) {
  const Entries expected{{1, 0, 2, 16}, {1, 2, 2, 16}};
  EXPECT_EQ(implied("MPI_Bcast", 1), expected);
  EXPECT_EQ(implied("MPI_Ibcast", 1), expected);
  EXPECT_EQ(implied("MPI_Scatter_init_c", 1), expected);
}

TEST(ImpliedTraffic, flows_to_the_root_of_a_reduction) {
  const Entries expected{{0, 1, 2, 16}, {2, 1, 2, 16}};
  EXPECT_EQ(implied("MPI_Reduce", 1), expected);
  EXPECT_EQ(implied("MPI_Igatherv", 1), expected);
}

TEST(ImpliedTraffic, joins_every_ordered_pair_in_an_allreduce) {
  const Entries expected{{0, 1, 2, 16}, {0, 2, 2, 16}, {1, 0, 2, 16},
                         {1, 2, 2, 16}, {2, 0, 2, 16}, {2, 1, 2, 16}};
  EXPECT_EQ(implied("MPI_Allreduce", -1), expected);
  EXPECT_EQ(implied("MPI_Ireduce_scatter_block", -1), expected);
}

TEST(ImpliedTraffic, of_a_barrier_has_no_bytes) {
  const Entries entries = implied("MPI_Barrier", -1);
  ASSERT_EQ(entries.size(), 6U);
  for (const MatrixEntry& entry : entries) EXPECT_EQ(entry.bytes, 0U);
}

TEST(ImpliedTraffic, of_a_scan_flows_upwards) {
  EXPECT_EQ(implied("MPI_Exscan", -1), (Entries{{0, 1, 2, 16}, {0, 2, 2, 16}, {1, 2, 2, 16}}));
}

TEST(ImpliedTraffic, of_collectives_recorded_for_each_partner_is_not_drawn_twice) {
  for (const char* name : {"MPI_Scatterv", "MPI_Alltoallv", "MPI_Ialltoallw"}) {
    EXPECT_TRUE(implied(name, 1).empty()) << name;
  }
  EXPECT_TRUE(implied("MPI_Neighbor_alltoall", -1).empty());
}

TEST(Matrix, keeps_point_to_point_apart_and_recorded_partners_exact) {
  trace::RankRecord record = synthetic_record(0, 3, 1);
  record.collectives.clear();
  record.peers = {{1, false, 4, 400}, {2, true, 3, 30}, {0, true, 3, 30}};
  const Matrix matrix = communication_matrix({&record}, 3, 100);
  EXPECT_EQ(matrix.point_to_point, (Entries{{0, 1, 4, 400}}));
  EXPECT_EQ(matrix.collective, (Entries{{0, 2, 3, 30}}));
}

TEST(Matrix, leaves_out_the_smallest_entries_beyond_its_limit) {
  trace::RankRecord record = synthetic_record(0, 4, 1);
  record.collectives.clear();
  record.peers = {{1, false, 1, 5}, {2, false, 1, 50}, {3, false, 1, 500}};
  const Matrix matrix = communication_matrix({&record}, 4, 2);
  EXPECT_EQ(matrix.point_to_point, (Entries{{0, 2, 1, 50}, {0, 3, 1, 500}}));
  EXPECT_EQ(matrix.left_out, 1U);
}

TEST(LauncherSignals, of_open_mpi_name_the_rank) {
  const auto found = signals_in(
      "--\nmpiexec.openmpi noticed that process rank 2 with PID 0 on node n0 exited on signal 9 "
      "(Killed).\n--\n");
  EXPECT_EQ(found, (std::vector<RankSignal>{{2, -1, 9}}));
}

TEST(LauncherSignals, of_mpich_name_the_process) {
  const auto found = signals_in(
      "=====\n=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   PID 4242 RUNNING AT "
      "n0\n=   EXIT CODE: 9\n=====\nYOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed "
      "(signal 9)\n");
  EXPECT_EQ(found, (std::vector<RankSignal>{{-1, 4242, 9}}));
}

TEST(LauncherSignals, of_intel_mpi_name_rank_and_process) {
  const auto found = signals_in(
      "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   RANK 1 PID 77 RUNNING AT "
      "n0\n=   KILLED BY SIGNAL: 9 (Killed)\n");
  EXPECT_EQ(found, (std::vector<RankSignal>{{1, 77, 9}}));
}

TEST(LauncherSignals, of_a_program_that_exits_are_no_signal) {
  EXPECT_TRUE(signals_in("=   PID 4242 RUNNING AT n0\n=   EXIT CODE: 3\n").empty());
  EXPECT_TRUE(signals_in("").empty());
}

TEST(Sends, are_known_by_name) {
  for (const char* name : {"MPI_Send", "MPI_Isend_c", "MPI_Sendrecv", "MPI_Start", "MPI_Put"}) {
    EXPECT_TRUE(sends_message(name)) << name;
  }
  for (const char* name : {"MPI_Recv", "MPI_Send_init", "MPI_Wait", "MPI_Psend_init"}) {
    EXPECT_FALSE(sends_message(name)) << name;
  }
}

TEST(Page, cannot_be_left_by_its_data) {
  const std::string text = script_json({{"a", "</script><!-- & \u2028\u2029 \xff"}});
  EXPECT_EQ(text, "{\"a\":\"\\u003c/script\\u003e\\u003c!-- \\u0026 \\u2028\\u2029 \ufffd\"}");
}

TEST(Page, takes_its_data_where_the_template_says) {
  EXPECT_EQ(fill_template("a<script id=\"plait-data\" type=\"application/json\">null</script>b",
                          {{"x", 1}}),
            "a<script id=\"plait-data\" type=\"application/json\">{\"x\":1}</script>b");
  EXPECT_THROW(fill_template("<html></html>", {}), Error);
}

}  // namespace
}  // namespace plait::report
