// SPDX-License-Identifier: BSD-3-Clause
// The synthetic machine with measurements between nodes contains the fits that Plait computes.
// PLAIT_UPDATE_GOLDEN=1 in the environment rewrites its fits.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "machine/measured_text.hpp"
#include "machine/open_machine.hpp"
#include "model/loggp.hpp"

namespace plait::model {
namespace {

using machine::LogGp;
using machine::Measured;

const std::filesystem::path kFile = PLAIT_TEST_DATA "/machines/cluster-example.json";

TEST(ClusterExample, ContainsTheFitsOfItsFigures) {
  machine::MachineFile file = machine::load(kFile);
  const Measured stored = file.measured.value();
  add_fits(*file.measured);
  if (std::getenv("PLAIT_UPDATE_GOLDEN") != nullptr) machine::save(kFile, file);
  ASSERT_EQ(stored.paths.size(), file.measured->paths.size());
  for (std::size_t i = 0; i < stored.paths.size(); ++i) {
    const machine::Path& now = file.measured->paths[i];
    ASSERT_TRUE(stored.paths[i].loggp && now.loggp) << now.id;
    EXPECT_EQ(stored.paths[i].loggp->eager_limit, now.loggp->eager_limit) << now.id;
    EXPECT_DOUBLE_EQ(stored.paths[i].loggp->latency_s.value, now.loggp->latency_s.value);
    EXPECT_EQ(stored.paths[i].switches.size(), now.switches.size()) << now.id;
  }
  EXPECT_EQ(machine::overlap_headline(stored), machine::overlap_headline(*file.measured));
}

/// The figures were generated with L + 2 o = 2.1 us, 3.05 GB/s and 64 KiB between nodes, 4 KiB
/// inside.
TEST(ClusterExample, FitsRecoverTheGeneratingParameters) {
  const Measured measured = machine::load(kFile).measured.value();
  EXPECT_EQ(measured.paths.at(0).loggp->eager_limit, 4096U);
  EXPECT_EQ(measured.paths.at(1).loggp->eager_limit, 4096U);
  const LogGp& network = measured.paths.at(2).loggp.value();
  EXPECT_EQ(network.eager_limit, 65536U);
  EXPECT_NEAR(network.latency_s.value + 2 * network.overhead_s.value, 2.1e-6, 0.05e-6);
  EXPECT_LE(network.seconds_per_byte.low, 1 / 3.05e9);
  EXPECT_GE(network.seconds_per_byte.high, 1 / 3.05e9);
  EXPECT_TRUE(network.overhead_s.measured && network.gap_s.measured);
  EXPECT_EQ(machine::overlap_headline(measured),
            "Open MPI 4.1.4 does not move long messages while the program computes; with a "
            "communicating thread it does");
}

}  // namespace
}  // namespace plait::model
