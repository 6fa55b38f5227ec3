// SPDX-License-Identifier: BSD-3-Clause
// Tests of the file of samples: it is read as it was written, and times take a bounded part of it.
#include "preload/sampling/sample_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "preload/recorder.hpp"
#include "preload/sampling/sampled_thread.hpp"
#include "samples/raw_samples.hpp"

namespace plait::preload {

// There is no interpreter, and modules do not matter.
bool python_text(const PythonLine&, char*, size_t) {
  return false;
}

namespace sampling {

__thread SampledThread* sampled __attribute__((tls_model("initial-exec")));

bool find_object(uintptr_t, Object*) {
  return false;
}

namespace {

namespace fs = std::filesystem;

constexpr uint32_t kMostTimes = 1 << 20;  // 16 MiB, a quarter of what the limit below leaves

/// Creates the files under a limit of the address space, of which each takes an eighth.
bool create_limited_files() {
  rlimit before;
  if (::getrlimit(RLIMIT_AS, &before)) return false;
  const rlimit limited{512 << 20, before.rlim_max};
  if (::setrlimit(RLIMIT_AS, &limited)) return false;
  const bool created = open_record() && create_sample_file();
  ::setrlimit(RLIMIT_AS, &before);
  return created;
}

TEST(SampleFile, HasTheTimesOfSamplesUntilTheirPartIsFull) {
  const fs::path folder =
      fs::path(::testing::TempDir()) / ("plait-samples-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  ::setenv("PLAIT_RECORDS", folder.c_str(), 1);
  ASSERT_TRUE(create_limited_files());
  file_header->magic = PLAIT_SAMPLES_MAGIC;
  file_header->rate_hz = 100;
  file_header->ticks_per_s = 1e9;
  file_header->clock = PLAIT_SAMPLE_CPU;

  const auto table = std::make_unique<StackTable>();
  ASSERT_TRUE(open_table(table.get()));
  uint32_t thread = 0;
  ASSERT_NE(append_sample(table.get(), PLAIT_SAMPLE_THREADS, 1, &thread), nullptr);
  publish_sample(table.get(), PLAIT_SAMPLE_THREADS, thread + 1);
  const uint32_t node = child_node(table.get(), 0, 0x1000 | PLAIT_EXACT_ADDRESS);
  for (uint64_t i = 0; i < kMostTimes + 1000; ++i) {
    uint32_t index = 0;
    const uint32_t state = i % 2 ? PLAIT_SAMPLE_MPI : PLAIT_SAMPLE_CODE;
    plait_sample_count* count = counter(table.get(), node, thread, 0, state, &index);
    ASSERT_NE(count, nullptr);
    ++count->samples;
    add_time(table.get(), i, index, 1);
  }
  // New stacks still have room.
  for (uint32_t i = 0; i < 10'000; ++i) {
    ASSERT_NE(child_node(table.get(), node, 0x2000 + i), 0u);
  }
  trim_sample_file();

  fs::path file;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".smp") file = entry.path();
  }
  EXPECT_LT(fs::file_size(file), 20'000'000u);
  const samples::RawSamples raw = samples::read_raw_samples(file, "");
  ASSERT_EQ(raw.tables.size(), 1u);
  const samples::RawTable& read = raw.tables[0];
  ASSERT_EQ(read.times.size(), kMostTimes);
  EXPECT_EQ(read.untimed, 1000u);
  ASSERT_EQ(read.counts.size(), 2u);
  EXPECT_EQ(read.counts[0].samples, kMostTimes / 2 + 500);
  for (uint32_t i = 0; i < kMostTimes; ++i) {
    ASSERT_EQ(read.times[i].ticks, i);
    ASSERT_EQ(read.counts[read.times[i].count].state, i % 2 ? PLAIT_SAMPLE_MPI : PLAIT_SAMPLE_CODE);
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace sampling
}  // namespace plait::preload
