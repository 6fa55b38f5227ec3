// SPDX-License-Identifier: BSD-3-Clause
// Tests of reading counters, memory, files and energy from records.
#include <gtest/gtest.h>
#include <unistd.h>

#include "plait/error.hpp"
#include "synthetic_resources.hpp"
#include "trace/rank_record.hpp"

namespace plait::trace {
namespace {

using test::SyntheticRecord;

class ReadResources : public ::testing::Test {
protected:
  void SetUp() override {
    record_.table<plait_region_record>(
        PLAIT_SECTION_REGIONS,
        {{record_.string("step"), 0, 1, 1, 0}, {record_.string("solve"), 1, 1, 1, 0}});
    test::add_resources(record_);
  }
  void TearDown() override { std::filesystem::remove(file_); }

  RankRecord read() {
    record_.write(file_);
    return read_record(file_);
  }
  std::string error() {
    try {
      read();
    } catch (const Error& problem) {
      return problem.what();
    }
    return "";
  }
  /// The first entry of a table.
  template <class Entry>
  Entry& first(plait_section section) {
    char* const file = reinterpret_cast<char*>(&record_.header());
    return *reinterpret_cast<Entry*>(file + record_.header().sections[section].offset);
  }

  SyntheticRecord record_;
  std::filesystem::path file_ = std::filesystem::path(::testing::TempDir()) /
                                ("plait-resources-" + std::to_string(::getpid()) + ".rec");
};

TEST_F(ReadResources, CountersHaveNamesRegionsAndTimes) {
  const RankRecord record = read();
  ASSERT_EQ(record.counters.size(), 2u);
  EXPECT_EQ(record.counters[0].name, "cycles");
  EXPECT_EQ(record.counters[1].error, 24);
  EXPECT_EQ(record.counters[1].failures, 1u);
  EXPECT_TRUE(record.counters[1].user_only);
  EXPECT_EQ(record.counter_reading_ns, 650);
  ASSERT_EQ(record.counter_sums.size(), 1u);
  const CounterSums& sums = record.counter_sums[0];
  EXPECT_EQ(sums.region, 1);
  EXPECT_EQ(sums.readings, 7u);
  EXPECT_DOUBLE_EQ(sums.outside_s, 2);
  EXPECT_DOUBLE_EQ(sums.inside_s, 0.5);
  ASSERT_EQ(sums.outside.size(), 2u);
  EXPECT_DOUBLE_EQ(sums.outside[0].value, 6e9);
  EXPECT_DOUBLE_EQ(sums.outside[1].enabled_s, 2);
  EXPECT_DOUBLE_EQ(sums.outside[1].running_s, 1);
}

TEST_F(ReadResources, ReadingsOfCountersHaveTimesAndTotals) {
  const RankRecord record = read();
  ASSERT_EQ(record.counter_readings.size(), 2u);
  const CounterReading& last = record.counter_readings[1];
  EXPECT_EQ(last.thread, 3u);
  EXPECT_EQ(last.ticks, 1000u + 7'000'000'000u);
  EXPECT_DOUBLE_EQ(last.outside_s, 2);
  EXPECT_DOUBLE_EQ(last.inside_s, 0.5);
  EXPECT_DOUBLE_EQ(record.counter_totals.at(last.first).value, 6e9);
  EXPECT_DOUBLE_EQ(record.counter_totals.at(last.first + 2).value, 5e8);
}

TEST_F(ReadResources, AReadingWithoutItsValuesIsDamage) {
  first<plait_counter_reading>(PLAIT_SECTION_COUNTER_READINGS).first_total = 5;
  EXPECT_NE(error().find("has the values from 5 on, of 8"), std::string::npos) << error();
}

TEST_F(ReadResources, ARecordOfVersion5HasTheReadings) {
  record_.write_earlier(file_, 5);
  const RankRecord record = read_record(file_);
  EXPECT_FALSE(record.counter_readings.empty());
  EXPECT_EQ(record.counter_reading_ns, 650) << "the last field of the header";
}

TEST_F(ReadResources, ARecordOfVersion3HasAllButTheReadings) {
  record_.write_earlier(file_, 3);
  const RankRecord record = read_record(file_);
  EXPECT_TRUE(record.counter_readings.empty());
  ASSERT_EQ(record.counter_sums.size(), 1u);
  EXPECT_EQ(record.counter_reading_ns, 650) << "the last field of the header";
  ASSERT_EQ(record.files.size(), 2u);
  EXPECT_EQ(record.energy.size(), 1u);
}

TEST_F(ReadResources, MemoryCountsFromInit) {
  const RankRecord record = read();
  ASSERT_TRUE(record.memory);
  EXPECT_EQ(record.memory->peak, 3ULL << 30);
  EXPECT_EQ(record.memory->minor_faults, 4000u);
  EXPECT_EQ(record.memory->major_faults, 2u);
  EXPECT_EQ(record.memory->write_chars, 1000u);
  EXPECT_TRUE(record.memory->has_heap);
  EXPECT_EQ(record.memory->heap.peak, 2000u);
  EXPECT_DOUBLE_EQ(record.memory->heap.peak_at_s, 2);
  ASSERT_EQ(record.memory_samples.size(), 2u);
  EXPECT_DOUBLE_EQ(record.memory_samples[1].at_s, 2);
}

TEST_F(ReadResources, CpuTimeCountsFromInitUnlessItIsOfAnEarlierVersion) {
  RankRecord record = read();
  ASSERT_TRUE(record.memory && record.memory->cpu);
  EXPECT_DOUBLE_EQ(record.memory->cpu->user_s, 1.5);
  EXPECT_DOUBLE_EQ(record.memory->cpu->system_s, 0.25);
  std::array<char, offsetof(plait_memory_record, user_us)> earlier{};
  const auto& memory = first<plait_memory_record>(PLAIT_SECTION_MEMORY);
  std::memcpy(earlier.data(), &memory, earlier.size());
  record_.table<decltype(earlier)>(PLAIT_SECTION_MEMORY, {earlier});
  record = read();
  ASSERT_TRUE(record.memory);
  EXPECT_EQ(record.memory->peak, 3ULL << 30);
  EXPECT_EQ(record.memory->heap.peak, 2000u);
  EXPECT_FALSE(record.memory->cpu);
}

TEST_F(ReadResources, SamplesHaveMovedBytesUnlessTheyAreOfAnEarlierVersion) {
  RankRecord record = read();
  EXPECT_EQ(record.memory_samples.at(1).read, 100u);
  EXPECT_EQ(record.memory_samples.at(1).written, 50'000u);
  struct EarlierSample {
    std::uint64_t ticks, resident, shared;
  };
  record_.table<EarlierSample>(PLAIT_SECTION_MEMORY_SAMPLES, {{1000 + 4'000'000'000, 4096, 1024}});
  record = read();
  ASSERT_EQ(record.memory_samples.size(), 1u);
  EXPECT_EQ(record.memory_samples[0].resident, 4096u);
  EXPECT_EQ(record.memory_samples[0].written, 0u);
}

TEST_F(ReadResources, FilesHaveOperationsAndSizes) {
  const RankRecord record = read();
  ASSERT_EQ(record.files.size(), 2u);
  EXPECT_EQ(record.files[0].path, "/scratch/out.dat");
  EXPECT_EQ(record.files[1].kind, PLAIT_FILE_MPI);
  const IoSums& writes = record.files[0].operations[PLAIT_IO_WRITE];
  EXPECT_EQ(writes.calls, 500u);
  EXPECT_EQ(writes.failures, 1u);
  EXPECT_DOUBLE_EQ(writes.time_s, 0.1);
  EXPECT_DOUBLE_EQ(writes.max_s, 0.002);
  EXPECT_EQ(record.files[0].writes[0], 499u);
  ASSERT_EQ(record.energy.size(), 1u);
  EXPECT_DOUBLE_EQ(record.energy[0].joules, 250);
}

TEST_F(ReadResources, ARecordWithoutThemHasNone) {
  SyntheticRecord().write(file_);
  const RankRecord record = read_record(file_);
  EXPECT_TRUE(record.counters.empty());
  EXPECT_FALSE(record.memory);
  EXPECT_TRUE(record.files.empty());
}

TEST_F(ReadResources, ACounterOfAnUnknownRegionIsInNone) {
  first<plait_counter_sums>(PLAIT_SECTION_COUNTER_SUMS).region = 99;
  EXPECT_EQ(read().counter_sums.at(0).region, -1);
}

TEST_F(ReadResources, DamageIsNamed) {
  first<plait_file_record>(PLAIT_SECTION_FILES).kind = 77;
  EXPECT_NE(error().find("a file is of kind 77"), std::string::npos) << error();
}

TEST_F(ReadResources, MoreCountersThanARecordCanHoldAreDamage) {
  record_.table<plait_counter_record>(PLAIT_SECTION_COUNTERS,
                                      std::vector<plait_counter_record>(17));
  EXPECT_NE(error().find("it has 17 counters"), std::string::npos) << error();
}

TEST_F(ReadResources, TheMemoryOfTwoProcessesIsDamage) {
  record_.table<plait_memory_record>(PLAIT_SECTION_MEMORY, std::vector<plait_memory_record>(2));
  EXPECT_NE(error().find("memory of 2 processes"), std::string::npos) << error();
}

TEST_F(ReadResources, AnImpossibleTimeOfAReadingIsDamage) {
  record_.header().counter_reading_ns = -1;
  EXPECT_NE(error().find("takes -1 ns"), std::string::npos) << error();
}

}  // namespace
}  // namespace plait::trace
