// SPDX-License-Identifier: BSD-3-Clause
// sweep.json: what is written is read back, damage is refused, secrets are not written.
#include "sweep/sweep_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/json_file.hpp"
#include "made_up_sweep.hpp"
#include "plait/error.hpp"

namespace plait::sweep {
namespace {

namespace fs = std::filesystem;

class SweepFile : public ::testing::Test {
protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / "sweep-file";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

double third(const Point& point, int repetition) {
  return 1.0 / 3 / point.cores() + 0.01 * repetition;
}

TEST_F(SweepFile, IsReadBackAsItWasWritten) {
  Sweep sweep = made_up_sweep({"ranks=1,2,4", "size=100"}, {"size=ranks^1/3"});
  sweep.figure = {FigureKind::metric, "took ([0-9.]+)", "s", false};
  sweep.limits = {7, 0.02, 90.0, 12.5};
  for (int run = 0; run < 8; ++run) make_run(sweep, third);
  sweep.points[0].runs[0].factors = {0.9, 0.95, {}, 1, 0.5};
  sweep.points[0].runs[0].node_bytes = 4096;
  sweep.points[2].failure =
      PointFailure{{run::Outcome::crashed, 139, 11, {}, "core"}, "crashed", "runs/3/1", "ab12"};
  sweep.state = SweepState::interrupted;
  save_sweep(folder_, sweep);
  EXPECT_TRUE(is_sweep(folder_));
  const Sweep read = load_sweep(folder_);
  EXPECT_EQ(sweep_to_json(read), sweep_to_json(sweep));
  EXPECT_EQ(read.points[0].runs[1].value, sweep.points[0].runs[1].value) << "every digit";
  EXPECT_EQ(next_run(read)->point, next_run(sweep)->point);
}

TEST_F(SweepFile, DamageIsRefusedInOneLine) {
  nlohmann::json value = sweep_to_json(made_up_sweep({"ranks=1,2"}));
  value["points"][0].erase("runs");
  write_json_file(folder_ / kSweepFile, value);
  EXPECT_THROW(load_sweep(folder_), Error);
  value["schema_version"] = 99;
  write_json_file(folder_ / kSweepFile, value);
  EXPECT_THROW(load_sweep(folder_), Error);
}

TEST_F(SweepFile, SecretsAreMasked) {
  Sweep sweep = made_up_sweep({"ranks=1"});
  EXPECT_FALSE(has_masked_secret(sweep));
  sweep.grid.command.insert(sweep.grid.command.end(), {"--password", "hunter2"});
  save_sweep(folder_, sweep);
  EXPECT_EQ(read_text_file(folder_ / kSweepFile).find("hunter2"), std::string::npos);
  EXPECT_TRUE(has_masked_secret(load_sweep(folder_)));
}

}  // namespace
}  // namespace plait::sweep
