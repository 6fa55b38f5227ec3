// SPDX-License-Identifier: BSD-3-Clause
// Tests that SimGrid's smpirun replays the exported trace in the same time as Plait's replay on the
// ideal network.
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>

#include "base/subprocess.hpp"
#include "example_traces.hpp"
#include "export/export.hpp"
#include "replay/replay.hpp"
#include "temporary_folder.hpp"

namespace plait::exports {
namespace {

double ideal_seconds(const trace::Trace& trace) {
  const auto program = replay::program_of(trace);
  return replay::replay(*program, replay::ideal_network()).time_s;
}

/// The simulated time from the log prefix of smpirun's line "Simulation time", which has more
/// digits than the text, s.
double simgrid_seconds(const std::filesystem::path& folder, std::size_t ranks) {
  const std::string at = folder.string();
  const CommandResult result =
      run_command({PLAIT_SMPIRUN, "-np", std::to_string(ranks), "-hostfile", at + "/hosts.txt",
                   "-platform", at + "/platform.xml", "-replay", at + "/trace.txt",
                   "--cfg=smpi/send-is-detached-thresh:2147483647", "--cfg=smpi/bcast:flattree",
                   "--cfg=smpi/reduce:flat_tree", "--log=root.fmt:%.9r%e%m%n"},
                  std::chrono::seconds(50), {}, {{"LC_ALL", "C"}});
  const std::string text = result.out + result.err;
  const std::size_t found = text.find(" Simulation time");
  if (result.exit_code != 0 || found == std::string::npos) {
    ADD_FAILURE() << text;
    return NAN;
  }
  const std::size_t line = text.rfind('\n', found) + 1;
  double seconds = NAN;
  std::from_chars(text.data() + line, text.data() + found, seconds);
  return seconds;
}

class SimgridReplay : public ::testing::TestWithParam<trace::Trace (*)()> {};

TEST_P(SimgridReplay, TakesTheTimeOfTheIdealNetworkToSixDigits) {
  const trace::Trace trace = GetParam()();
  const TemporaryFolder folder;
  const Result result = write_simgrid({trace, {}, folder.path() / "simgrid", false, 0, {}});
  EXPECT_TRUE(result.notes.empty());
  const double expected = ideal_seconds(trace);
  ASSERT_GT(expected, 0.1);
  EXPECT_NEAR(simgrid_seconds(folder.path() / "simgrid", trace.ranks.size()), expected,
              expected * 5e-7);
}

INSTANTIATE_TEST_SUITE_P(Of, SimgridReplay, ::testing::Values(worked_example, chain, all_kinds));

TEST(SimgridExport, ComputesTheWorkedExampleAsByHand) {
  EXPECT_DOUBLE_EQ(ideal_seconds(worked_example()), 2.0);
}

}  // namespace
}  // namespace plait::exports
