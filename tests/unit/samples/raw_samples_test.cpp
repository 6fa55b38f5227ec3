// SPDX-License-Identifier: BSD-3-Clause
// Files of samples: what is read, and what is refused.
#include "samples/raw_samples.hpp"

#include <gtest/gtest.h>

#include "made_samples.hpp"
#include "plait/error.hpp"

namespace plait::samples {
namespace {

class RawSamplesTest : public ::testing::Test {
protected:
  RawSamples read() {
    made.write(file);
    return read_raw_samples(file, "/home/user/app");
  }
  std::string refusal() {
    try {
      read();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  test::MadeSamples made;
  std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "raw_samples.smp";
};

TEST_F(RawSamplesTest, addresses_and_lines) {
  const auto thread = made.thread(7);
  made.module(0x1000, 0x2000, 0x1000, "");
  made.module(0x5000, 0x6000, 0x4000, "/usr/lib/libx.so");
  const auto outer = made.node(0, 0x1100);
  const auto inner = made.node(outer, 0x5200 | PLAIT_EXACT_ADDRESS);
  const auto line = made.python(inner, "12 solve");
  made.count(line, thread, 3, PLAIT_SAMPLE_MPI, 2);
  const RawSamples raw = read();
  ASSERT_EQ(raw.tables.size(), 1);
  const RawTable& table = raw.tables[0];
  EXPECT_EQ(table.modules[static_cast<std::size_t>(table.nodes[outer].module)], "/home/user/app");
  EXPECT_EQ(table.nodes[outer].offset, 0xffu);  // in the call, before the return address
  EXPECT_EQ(table.modules[static_cast<std::size_t>(table.nodes[inner].module)], "/usr/lib/libx.so");
  EXPECT_EQ(table.nodes[inner].offset, 0x1200u);
  EXPECT_EQ(table.modules[static_cast<std::size_t>(table.nodes[line].module)],
            "solve\n/home/user/app.py");
  EXPECT_EQ(table.nodes[line].offset, 12u);
  ASSERT_EQ(table.counts.size(), 1);
  EXPECT_EQ(table.counts[0].samples, 3u);
  EXPECT_EQ(table.counts[0].state, PLAIT_SAMPLE_MPI);
  EXPECT_EQ(table.counts[0].region, 2u);
  EXPECT_DOUBLE_EQ(table.threads[0].cpu_s, 2);
}

TEST_F(RawSamplesTest, samples_have_times) {
  const auto thread = made.thread(7);
  const auto unused = made.python(0, "1 f");
  made.count(unused, thread, 0);
  const auto node = made.python(0, "2 g");
  const auto count = made.count(node, thread, 5);
  made.time(2000, count);
  made.time(1000, count, 3);
  made.untimed(2);
  const RawTable table = read().tables.at(0);
  ASSERT_EQ(table.counts.size(), 1);  // the other one has no samples
  ASSERT_EQ(table.times.size(), 2);
  EXPECT_EQ(table.times[0].ticks, 2000u);
  EXPECT_EQ(table.times[0].samples, 1u);
  EXPECT_EQ(table.times[1].ticks, 1000u);
  EXPECT_EQ(table.times[1].samples, 3u);
  for (const RawTime& time : table.times) EXPECT_EQ(time.count, 0u);
  EXPECT_EQ(table.untimed, 2u);
}

TEST_F(RawSamplesTest, files_of_version_1_have_no_times) {
  const auto thread = made.thread(7);
  const auto node = made.python(0, "2 g");
  made.time(1000, made.count(node, thread, 5));
  made.before_times();
  const RawTable table = read().tables.at(0);
  ASSERT_EQ(table.counts.size(), 1);
  EXPECT_EQ(table.counts[0].samples, 5u);
  EXPECT_TRUE(table.times.empty());
  EXPECT_EQ(table.untimed, 0u);
}

TEST_F(RawSamplesTest, damaged_times_are_refused) {
  const auto thread = made.thread(7);
  const auto count = made.count(made.python(0, "2 g"), thread, 5);
  made.time(1000, count, 4);
  EXPECT_EQ(refusal(), "");
  made.times()[0].count = count + 1;
  EXPECT_NE(refusal().find("damaged: a time has 4 samples of count 2"), std::string::npos)
      << refusal();
  made.times()[0] = {1000, count, 6};
  EXPECT_NE(refusal().find("damaged: a time has 6 samples"), std::string::npos) << refusal();
  made.times() = {{1000, count, 4}, {1001, count, 2}};
  EXPECT_NE(refusal().find("damaged: a time has 2 samples"), std::string::npos) << refusal();
  // Any time is possible: that of another clock is clamped where it is used.
  made.times() = {{~std::uint64_t{0}, count, 4}};
  EXPECT_EQ(refusal(), "");
}

TEST_F(RawSamplesTest, damage_is_refused) {
  made.thread(7);
  const auto node = made.python(0, "1 f");
  made.nodes()[node].parent = node;
  EXPECT_NE(refusal().find("damaged: frame 2 is called from 2"), std::string::npos) << refusal();
  made.nodes()[node].parent = 0;
  EXPECT_EQ(refusal(), "");
  made.header().tables = PLAIT_MOST_SAMPLE_TABLES + 1;
  EXPECT_NE(refusal().find("damaged"), std::string::npos);
  made.header().tables = 1;
  made.header().table_offsets[0] = 1 << 30;
  EXPECT_NE(refusal().find("beyond its end"), std::string::npos);
  made.header().version = 9;
  EXPECT_NE(refusal().find("version 9"), std::string::npos);
  made.header().magic = 0;
  EXPECT_NE(refusal().find("not a file of samples"), std::string::npos);
}

TEST_F(RawSamplesTest, impossible_times_are_refused) {
  made.count(made.python(0, "1 f"), made.thread(7), 200'000'000'000);
  EXPECT_NE(refusal().find("damaged: 200000000000 samples of a node"), std::string::npos)
      << refusal();
  made.header().rate_hz = 1e6;
  EXPECT_EQ(refusal(), "");
  made.header().rate_hz = 1e-300;
  EXPECT_NE(refusal().find("damaged: its rate is"), std::string::npos) << refusal();
}

TEST_F(RawSamplesTest, tables_must_not_overlap) {
  made.count(made.python(0, "1 f"), made.thread(7), 1);
  EXPECT_EQ(refusal(), "");
  // A file of a few KiB with hundreds of tables that are all the same one.
  for (auto& offset : made.header().table_offsets) offset = made.header().table_offsets[0];
  made.header().tables = PLAIT_MOST_SAMPLE_TABLES;
  EXPECT_NE(refusal().find("damaged: its tables overlap"), std::string::npos) << refusal();
}

}  // namespace
}  // namespace plait::samples
