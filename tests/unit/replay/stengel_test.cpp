// SPDX-License-Identifier: BSD-3-Clause
// The replay of a halo exchange against the closed form (Stengel 2010, figure 2.5), one rank per
// node.
#include <gtest/gtest.h>

#include <cmath>

#include "csv.hpp"
#include "machine/machine_file.hpp"
#include "model/jacobi_decomposition.hpp"
#include "model/jacobi_inputs.hpp"
#include "replay/replay.hpp"

namespace plait::replay {
namespace {

using model::CsvRow;
using model::read_csv;

constexpr int kCells = 120;
constexpr std::uint32_t kIterations = 50;

class StengelReplay : public testing::Test {
protected:
  machine::MachineFile machine_ =
      machine::load(std::string(PLAIT_TEST_DATA) + "/machines/townsend.json");
  Network network_ = machine_network(*machine_.measured, machine_.host);

  /// MLUP/s of all nodes.
  double speed(int nodes, std::uint32_t ranks_per_node) {
    const auto parts = model::parts_for_nodes(nodes, {nodes, nodes, nodes});
    HaloProgram halo;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      halo.parts[axis] = static_cast<std::uint32_t>(parts[axis]);
      halo.face_bytes[axis] = 8ULL * kCells * kCells;
    }
    halo.ranks_per_node = ranks_per_node;
    halo.iterations = kIterations;
    const double cells = std::pow(kCells, 3);
    halo.compute_s = cells / model::jacobi_speed(*machine_.measured, "townsend").at(1);
    const ReplayResult result = replay(*halo_program(halo), network_);
    EXPECT_TRUE(result.stuck.empty());
    return cells * nodes * kIterations / result.time_s * 1e-6;
  }
};

TEST_F(StengelReplay, agrees_with_the_closed_form_within_a_percent_at_all_eleven_node_counts) {
  int rows = 0;
  for (const CsvRow& row : read_csv("stengel/stengel_predictions.csv")) {
    const int nodes = std::stoi(row.at("nodes"));
    const double predicted = std::stod(row.at("mpi_1ppn"));
    const double replayed = speed(nodes, 1);
    EXPECT_NEAR(replayed, predicted, 0.01 * predicted) << nodes << " nodes";
    RecordProperty(std::to_string(nodes) + "_nodes_percent",
                   std::to_string((replayed / predicted - 1) * 100));
    ++rows;
  }
  EXPECT_EQ(rows, 11);
}

TEST_F(StengelReplay, eager_messages_let_nodes_with_fewer_neighbours_run_ahead) {
  network_.between_nodes.eager_limit = ~std::uint64_t{0};
  EXPECT_GT(speed(3, 1), 1.04 * 419.0);
}

TEST_F(StengelReplay, agrees_with_fair_cards_and_in_call_progress_too) {
  network_.sharing = Sharing::fair;
  EXPECT_NEAR(speed(27, 1), 2652.0, 0.01 * 2652.0);
}

TEST_F(StengelReplay, two_ranks_of_a_node_share_its_memory) {
  // Without messages only P(2) counts: 198 MLUP/s per node, for twice the cells.
  network_.within_node = ideal_network().within_node;
  const double both = speed(2, 2);
  EXPECT_NEAR(both, 198, 0.1);
}

}  // namespace
}  // namespace plait::replay
