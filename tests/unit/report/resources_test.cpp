// SPDX-License-Identifier: BSD-3-Clause
// Memory and files in the profile: sums, series, findings, and their lines on a terminal.
#include "report/resources.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/job.hpp"
#include "report/resource_findings.hpp"
#include "report/resource_lines.hpp"
#include "report/terminal.hpp"
#include "synthetic_profiles.hpp"
#include "synthetic_records.hpp"

namespace plait::report {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30, kMiB = 1 << 20;

class ResourcesOfARun : public ::testing::Test {
protected:
  void SetUp() override {
    for (int rank = 0; rank < 4; ++rank) {
      records_.push_back(synthetic_record(rank, 4, 5));
      records_.back().memory = trace::ProcessMemory{};
      records_.back().memory->peak = kGiB;
      records_.back().memory->shared = kGiB / 4;
      records_.back().memory->node = 64 * kGiB;
    }
  }
  Job job() {
    Job job;
    job.world_size = 4;
    for (const trace::RankRecord& record : records_) job.ranks.push_back(&record);
    return job;
  }
  Profile profile() {
    Profile profile = healthy_profile();  // 4 ranks of 12 s
    profile.memory = memory_of(job());
    profile.io = io_of(job());
    return profile;
  }
  const Finding* finding(const std::string& id) {
    found_ = resource_findings(profile());
    for (const Finding& one : found_) {
      if (one.id == id) return &one;
    }
    return nullptr;
  }
  /// Resident memory at `points` moments of 0.5 s.
  void sample(int rank, int points, std::uint64_t first, std::uint64_t step) {
    auto& record = records_.at(static_cast<std::size_t>(rank));
    for (int i = 0; i < points; ++i) {
      record.memory_samples.push_back(
          {1 + 0.5 * i, first + static_cast<std::uint64_t>(i) * step, 0});
    }
  }
  trace::FileUse& add_file(int rank, const std::string& path,
                           plait_file_kind kind = PLAIT_FILE_POSIX) {
    auto& files = records_.at(static_cast<std::size_t>(rank)).files;
    files.emplace_back().path = path;
    files.back().kind = kind;
    return files.back();
  }

  std::vector<trace::RankRecord> records_;
  std::vector<Finding> found_;
};

TEST_F(ResourcesOfARun, shared_memory_counts_once_per_host) {
  const Memory memory = memory_of(job());
  ASSERT_EQ(memory.hosts.size(), 2u);
  EXPECT_EQ(memory.hosts[0].ranks, 2);
  EXPECT_EQ(memory.hosts[0].peak, 2 * (kGiB - kGiB / 4) + kGiB / 4);
  EXPECT_EQ(memory.hosts[0].limit, 64 * kGiB);
  EXPECT_EQ(memory.hosts[0].limit_name, "the node");
}

TEST_F(ResourcesOfARun, even_memory_far_from_its_limit_is_no_finding) {
  EXPECT_TRUE(resource_findings(profile()).empty());
}

TEST_F(ResourcesOfARun, a_rank_with_more_memory_is_named) {
  records_[2].memory->peak = 3 * kGiB;
  const Finding* found = finding("memory_uneven");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->what, "rank 2 uses 3.00 times the memory of the others");
}

TEST_F(ResourcesOfARun, a_little_more_memory_is_not_worth_a_finding) {
  for (auto& record : records_) record.memory->peak = 10 * kMiB;
  records_[2].memory->peak = 40 * kMiB;
  EXPECT_EQ(finding("memory_uneven"), nullptr);
}

TEST_F(ResourcesOfARun, memory_near_the_limit_of_a_control_group_is_found) {
  for (auto& record : records_) record.memory->limit = 2 * kGiB;
  const Finding* found = finding("memory_limit");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->severity, "medium");
  EXPECT_NE(found->evidence.find("the control group"), std::string::npos);
  for (auto& record : records_) record.memory->limit = kGiB * 18 / 10;
  EXPECT_EQ(finding("memory_limit")->severity, "high");
}

TEST_F(ResourcesOfARun, steady_growth_is_found_with_the_time_until_memory_is_full) {
  sample(1, 60, kGiB, 10 * kMiB);
  sample(0, 60, kGiB, 0);
  const Finding* found = finding("memory_growth");
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found->what.find("rank 1 grows steadily"), std::string::npos) << found->what;
  EXPECT_NEAR(memory_of(job()).ranks[1].growth_per_s, 20.0 * kMiB, kMiB);
  EXPECT_NE(found->cost.find("is full in"), std::string::npos) << found->cost;
}

TEST_F(ResourcesOfARun, growth_at_the_start_and_a_sawtooth_are_not_steady) {
  sample(0, 20, 0, 100 * kMiB);
  sample(0, 40, 2000 * kMiB, 0);
  for (int i = 0; i < 60; ++i) {
    records_[1].memory_samples.push_back(
        {1 + 0.5 * i, kGiB + static_cast<std::uint64_t>(i % 10) * 100 * kMiB, 0});
  }
  EXPECT_EQ(finding("memory_growth"), nullptr);
}

TEST_F(ResourcesOfARun, a_series_has_few_points_and_the_last_one) {
  sample(0, 3000, kGiB, 0);
  const Memory memory = memory_of(job());
  EXPECT_LE(memory.series[0].points.size(), 401u);
  EXPECT_DOUBLE_EQ(memory.series[0].points.back()[0], 0.5 * 2999);
}

TEST_F(ResourcesOfARun, files_are_summed_over_ranks_by_normal_path_and_kind) {
  for (int rank = 0; rank < 4; ++rank) {
    trace::FileUse& file = add_file(rank, rank == 0 ? "/data/./out.h5" : "/data/x/../out.h5");
    file.operations[PLAIT_IO_WRITE] = {10, 1, 1000, 0.5 + rank, 0.1};
    file.operations[PLAIT_IO_OPEN] = {1, 0, 0, 0.01, 0.01};
    file.writes[1] = 10;
    add_file(rank, "/data/out.h5", PLAIT_FILE_MPI).operations[PLAIT_IO_READ].calls = 1;
  }
  const Io io = io_of(job());
  ASSERT_EQ(io.files.size(), 2u);
  const IoFileRow& file = io.files[0];
  EXPECT_EQ(file.path, "/data/out.h5");
  EXPECT_EQ(file.kind, "posix");
  EXPECT_EQ(file.ranks, 4);
  EXPECT_EQ(file.writers, 4);
  EXPECT_EQ(file.write.calls, 40u);
  EXPECT_EQ(file.write.failures, 4u);
  EXPECT_EQ(file.write_sizes[1], 40u);
  EXPECT_EQ(file.slowest_rank, 3);
  EXPECT_DOUBLE_EQ(file.slowest_s, 3.51);
  EXPECT_EQ(io.files[1].writers, 0);
  EXPECT_EQ(io.ranks[3].written, 1000u);
}

TEST_F(ResourcesOfARun, bytes_moved_over_time_are_those_between_samples) {
  add_file(1, "/scratch/a");
  auto& record = records_[1];
  record.init_end_s = 1;
  record.memory_samples = {{1, 0, 0, 10, 100}, {1.5, 0, 0, 10, 100}, {3, 0, 0, 30, 400}};
  records_[0].memory_samples = record.memory_samples;  // without files
  const Io io = io_of(job());
  ASSERT_EQ(io.series.size(), 1u);
  EXPECT_EQ(io.series[0].rank, 1);
  EXPECT_EQ(io.series[0].points,
            (std::vector<std::array<double, 3>>{{0, 10, 100}, {0.5, 0, 0}, {2, 20, 300}}));
}

TEST_F(ResourcesOfARun, thinned_series_keep_all_moved_bytes) {
  add_file(1, "/scratch/a");
  for (int i = 0; i < 3000; ++i) {
    records_[1].memory_samples.push_back({1 + 0.1 * i, 0, 0, 0, 7 * static_cast<unsigned>(i)});
  }
  const Io io = io_of(job());
  EXPECT_LE(io.series.at(0).points.size(), 401u);
  double written = 0;
  for (const auto& point : io.series[0].points) written += point[2];
  EXPECT_EQ(written, 7 * 2999);
}

TEST_F(ResourcesOfARun, samples_of_an_earlier_version_give_no_series) {
  add_file(1, "/scratch/a");
  sample(1, 10, kGiB, 0);
  EXPECT_TRUE(io_of(job()).series.empty());
}

TEST_F(ResourcesOfARun, two_names_of_a_file_are_one_file_of_one_rank) {
  for (const char* path : {"/data/out", "/data/./out"}) {
    trace::FileUse& file = add_file(0, path);
    file.operations[PLAIT_IO_WRITE] = {4, 0, 1 << 20, 0.5, 0.1};
    file.writes[5] = 4;
  }
  const Io io = io_of(job());
  ASSERT_EQ(io.files.size(), 1u);
  EXPECT_EQ(io.files[0].ranks, 1);
  EXPECT_EQ(io.files[0].writers, 1);
  EXPECT_EQ(io.files[0].write.calls, 8u);
  EXPECT_EQ(io.files[0].write_sizes[5], 8u);
  EXPECT_EQ(finding("io_shared_file"), nullptr);
}

TEST_F(ResourcesOfARun, calls_of_the_mpi_library_are_not_those_of_the_program) {
  add_file(0, "/data/a", PLAIT_FILE_IN_MPI).operations[PLAIT_IO_WRITE] = {5000, 0, 5000, 9, 1};
  EXPECT_EQ(io_of(job()).ranks[0].calls, 0u);
  EXPECT_TRUE(resource_findings(profile()).empty());
}

TEST_F(ResourcesOfARun, small_writes_are_found_by_their_time) {
  trace::FileUse& file = add_file(1, "/data/log");
  file.operations[PLAIT_IO_WRITE] = {2000, 0, 200000, 6, 0.01};
  file.writes[0] = 2000;
  const Finding* found = finding("io_small");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->what, "2000 small writes");
  EXPECT_EQ(found->severity, "medium");  // 6 of 48 s
  records_[1].files[0].operations[PLAIT_IO_WRITE].time_s = 0.1;
  EXPECT_EQ(finding("io_small"), nullptr) << "0.2 % of the time";
  records_[1].files[0].operations[PLAIT_IO_WRITE].time_s = 6;
  records_[1].files[0].kind = PLAIT_FILE_STDIO;
  EXPECT_EQ(finding("io_small"), nullptr) << "streams have a buffer";
}

TEST_F(ResourcesOfARun, a_file_written_by_several_ranks_is_found_unless_by_mpi_io) {
  for (int rank = 0; rank < 4; ++rank) {
    add_file(rank, "/data/out").operations[PLAIT_IO_WRITE] = {4, 0, 1 << 20, 0.5, 0.1};
  }
  const Finding* found = finding("io_shared_file");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->what, "all ranks write the same file without MPI-IO");
  for (auto& record : records_) record.files[0].kind = PLAIT_FILE_MPI;
  EXPECT_EQ(finding("io_shared_file"), nullptr);
}

TEST_F(ResourcesOfARun, opening_and_examining_files_is_found_by_its_time) {
  add_file(0, "/data/").operations[PLAIT_IO_META] = {3000, 0, 0, 3, 0.1};
  const Finding* found = finding("io_metadata");
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found->evidence.find("3000 calls"), std::string::npos);
  EXPECT_NE(found->evidence.find("/data/"), std::string::npos);
}

TEST_F(ResourcesOfARun, the_terminal_has_a_line_for_cpu_time_and_memory_per_rank) {
  for (auto& record : records_) {
    record.memory->resident = (100 + static_cast<std::uint64_t>(record.world_rank)) * kMiB;
    record.memory->cpu = trace::CpuTimes{1.5 + record.world_rank, 0.25};
  }
  const auto has_line = [this](const std::string& line) {
    const Lines lines = terminal_lines(profile(), {});
    EXPECT_LE(lines.size(), kTerminalLines);
    return std::ranges::find(lines, line) != lines.end();
  };
  EXPECT_TRUE(
      has_line("per rank: user 1.50-4.50 s, system 250 ms, memory 100-103 MiB, peak 1 GiB"));
  records_[2].memory->cpu.reset();
  EXPECT_TRUE(has_line("per rank: memory 100-103 MiB, peak 1 GiB")) << "an earlier version";
}

TEST_F(ResourcesOfARun, the_terminal_shows_what_was_asked_for_in_80_columns) {
  EXPECT_TRUE(memory_lines(profile(), {}).empty());
  EXPECT_TRUE(io_lines(profile(), {}).empty());
  for (auto& record : records_) {
    record.memory->has_heap = true;
    record.memory->heap = {123456789, 5, 1, kGiB, kGiB, 1};
    record.memory->read_chars = 10 * kGiB;
  }
  add_file(0, "/data/" + std::string(200, 'x')).operations[PLAIT_IO_READ] = {123456789, 0, 5 * kGiB,
                                                                             1000, 1};
  for (const Lines& block : {memory_lines(profile(), {}), io_lines(profile(), {})}) {
    EXPECT_GE(block.size(), 3u);
    for (const std::string& line : block) EXPECT_LE(line.size(), 80u) << line;
  }
  std::string text;
  for (const std::string& line : io_lines(profile(), {})) text += line;
  EXPECT_NE(text.find("35 GiB more"), std::string::npos) << text;
}

}  // namespace
}  // namespace plait::report
