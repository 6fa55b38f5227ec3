// SPDX-License-Identifier: BSD-3-Clause
// Counters in the profile: multiplexing, regions, and derived figures beside their bounds, of
// records with hardware counters made by construction.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>

#include "machine/machine_file.hpp"
#include "report/job.hpp"
#include "report/resource_lines.hpp"
#include "report/resources.hpp"
#include "synthetic_profiles.hpp"
#include "synthetic_records.hpp"
#include "synthetic_resources.hpp"
#include "trace/rank_record.hpp"

namespace plait::report {
namespace {

/// Two ranks on two nodes that counted these events: in region "solve" for 4 s between MPI calls,
/// and for 1 s in MPI. `fill(rank, sums)` sets the counts.
class CountersOfARun : public ::testing::Test {
protected:
  void count(const std::vector<std::string>& events,
             const std::function<void(int, trace::CounterSums&)>& fill) {
    for (int rank = 0; rank < 2; ++rank) {
      trace::RankRecord record = synthetic_record(rank, 2, 5);
      record.regions = {{"step", -1, 1, 5, 1}, {"solve", 0, 1, 4, 0}};
      for (const std::string& event : events) record.counters.push_back({event, 0, 0, 1});
      record.counter_reading_ns = 1000;
      trace::CounterSums sums;
      sums.tid = 100 + rank;
      sums.region = 1;
      sums.readings = 5000;
      sums.outside_s = 4;
      sums.inside_s = 1;
      sums.outside.resize(events.size(), {0, 4, 4});
      sums.inside.resize(events.size(), {0, 1, 1});
      fill(rank, sums);
      record.counter_sums = {sums};
      records_.push_back(record);
    }
  }
  Counters counters(const machine::MachineFile* machine = nullptr) {
    Job job;
    job.world_size = 2;
    for (const trace::RankRecord& record : records_) job.ranks.push_back(&record);
    return counters_of(job, machine);
  }
  static machine::MachineFile machine_with_stream(double gbs) {
    machine::MachineFile machine;
    machine.measured.emplace();
    machine::StreamResult triad;
    triad.kernel = "triad";
    triad.threads = 8;
    triad.gbs.median = gbs;
    machine::StreamResult one_thread = triad;
    one_thread.threads = 1;
    one_thread.gbs.median = gbs / 4;
    machine.measured->stream = {one_thread, triad};
    machine::PeakResult peak{"AVX2", 8, {}}, one_core{"AVX2", 1, {}};
    peak.gflops.median = 5 * gbs;
    one_core.gflops.median = gbs;
    machine.measured->peak = {one_core, peak};
    return machine;
  }
  static const DerivedFigure& figure(const Counters& of, const std::string& id,
                                     const std::string& region = "") {
    for (const DerivedFigure& one : of.derived) {
      if (one.id == id && one.region == region) return one;
    }
    throw std::runtime_error("no figure " + id);
  }
  static bool has_figure(const Counters& of, const std::string& id) {
    return std::any_of(of.derived.begin(), of.derived.end(),
                       [&](const DerivedFigure& one) { return one.id == id; });
  }
  /// The report's block as one text.
  static std::string printed(const Counters& of) {
    Profile profile = healthy_profile();
    profile.counters = of;
    std::string text;
    for (const std::string& line : counter_lines(profile, {})) {
      EXPECT_LE(line.size(), 80u) << line;
      text += line + "\n";
    }
    return text;
  }

  std::vector<trace::RankRecord> records_;
};

TEST_F(CountersOfARun, that_counted_part_of_the_time_are_extrapolated_and_say_so) {
  count({"cycles"}, [](int, trace::CounterSums& sums) { sums.outside[0] = {1e9, 4, 1}; });
  const Counters of = counters();
  ASSERT_EQ(of.events.size(), 1u);
  EXPECT_DOUBLE_EQ(of.events[0].counted,
                   4.0 / 10);  // of both ranks: 2 of 8 s outside, 2 of 2 in MPI
  EXPECT_DOUBLE_EQ(*of.threads.at(0).outside[0], 4e9);
  EXPECT_NE(printed(of).find("cycles counted 40 % of the time"), std::string::npos) << printed(of);
}

TEST_F(CountersOfARun, that_never_counted_are_unknown_and_not_zero) {
  count({"cycles"}, [](int rank, trace::CounterSums& sums) {
    sums.outside[0] = rank == 0 ? trace::CounterValue{0, 4, 0} : trace::CounterValue{3e9, 4, 4};
  });
  const Counters of = counters();
  EXPECT_FALSE(of.threads.at(0).outside[0]);
  EXPECT_DOUBLE_EQ(*of.threads.at(1).outside[0], 3e9);
  EXPECT_DOUBLE_EQ(*of.regions.at(0).outside[0], 6e9) << "as much as the other rank";
}

TEST_F(CountersOfARun, of_a_region_are_part_of_those_around_it) {
  count({"page-faults"}, [](int, trace::CounterSums& sums) {
    sums.outside[0].value = 300;
    sums.inside[0].value = 20;
  });
  const Counters of = counters();
  ASSERT_EQ(of.regions.size(), 3u);
  for (const CounterRegionRow& row : of.regions) {
    EXPECT_DOUBLE_EQ(*row.outside[0], 600) << row.region;
    EXPECT_DOUBLE_EQ(*row.inside[0], 40) << row.region;
    EXPECT_EQ(row.ranks, 2);
  }
  EXPECT_EQ(of.regions[0].region, "");
  EXPECT_EQ(of.threads.at(0).region, "step/solve");
}

TEST_F(CountersOfARun, state_what_reading_them_costs) {
  count({"cycles"}, [](int, trace::CounterSums&) {});
  const Counters of = counters();
  EXPECT_EQ(of.readings, 10000u);
  EXPECT_DOUBLE_EQ(of.reading_ns, 1000);
  EXPECT_DOUBLE_EQ(of.overhead, 0.001);
}

TEST_F(CountersOfARun, instructions_per_cycle_are_kept_apart_inside_mpi) {
  count({"instructions", "cycles"}, [](int, trace::CounterSums& sums) {
    sums.outside[0].value = 6e9;
    sums.outside[1].value = 4e9;
    sums.inside[0].value = 1e9;
    sums.inside[1].value = 4e9;
  });
  const Counters of = counters();
  EXPECT_DOUBLE_EQ(figure(of, "instructions_per_cycle").value, 1.5);
  EXPECT_DOUBLE_EQ(figure(of, "instructions_per_cycle_in_mpi").value, 0.25);
  EXPECT_DOUBLE_EQ(figure(of, "instructions_per_cycle", "step/solve").value, 1.5);
  EXPECT_FALSE(has_figure(of, "memory_bandwidth"));
}

TEST_F(CountersOfARun, memory_bandwidth_stands_beside_stream_of_a_node) {
  count({"cache-misses"},
        [](int, trace::CounterSums& sums) { sums.outside[0].value = 4 * 5e9 / 64; });
  const machine::MachineFile machine = machine_with_stream(20);
  const DerivedFigure rate = figure(counters(&machine), "memory_bandwidth");
  EXPECT_NEAR(rate.value, 5, 1e-9) << "each node has one of the ranks";
  EXPECT_EQ(rate.bound, 20);
  EXPECT_EQ(rate.bound_name, "STREAM triad, 8 threads");
  EXPECT_FALSE(figure(counters(), "memory_bandwidth").bound) << "without a machine file";
  EXPECT_NE(printed(counters(&machine)).find("GB/s (STREAM triad, 8 threads)"), std::string::npos)
      << printed(counters(&machine));
}

TEST_F(CountersOfARun, the_roofline_point_needs_operations_and_bytes) {
  // Packed doubles of 256 bits: 4 operations per count.
  count({"r10c7", "cache-misses"}, [](int, trace::CounterSums& sums) {
    sums.outside[0].value = 4e9;
    sums.outside[1].value = 1e9;
  });
  const machine::MachineFile machine = machine_with_stream(20);
  const Counters of = counters(&machine);
  EXPECT_NEAR(figure(of, "floating_point_speed").value, 4, 1e-9);
  EXPECT_NEAR(figure(of, "operational_intensity").value, 16e9 / 64e9, 1e-9);
  EXPECT_NEAR(*figure(of, "floating_point_speed").bound, 0.25 * 20, 1e-9);
  // The whole run, two regions and two ranks.
  ASSERT_EQ(of.roofline.points.size(), 5u);
  EXPECT_EQ(of.roofline.points[0].rank, -1);
  EXPECT_EQ(of.roofline.points[0].region, "");
  EXPECT_EQ(of.roofline.points[2].region, "step/solve");
  EXPECT_EQ(of.roofline.points[4].rank, 1);
  for (const RooflinePoint& point : of.roofline.points) {
    EXPECT_NEAR(point.intensity, 0.25, 1e-9);
    EXPECT_NEAR(point.gflops, 4, 1e-9) << "each node has one of the ranks";
  }
  EXPECT_EQ(of.roofline.bounds, (std::vector<RooflineBound>{{"STREAM triad, 8 threads", 20},
                                                            {"STREAM triad, 1 thread", 5}}));
  EXPECT_EQ(of.roofline.peaks, (std::vector<RooflinePeak>{{"peak (AVX2), 8 cores", 100},
                                                          {"peak (AVX2), 1 core", 20}}));
  EXPECT_EQ(of.roofline.missing, "");
  EXPECT_NE(counters().roofline.missing.find("plait measure"), std::string::npos);
}

TEST_F(CountersOfARun, the_peak_bounds_what_needs_little_memory) {
  count({"r10c7", "cache-misses"}, [](int, trace::CounterSums& sums) {
    sums.outside[0].value = 4e9;
    sums.outside[1].value = 1e6;
  });
  machine::MachineFile machine = machine_with_stream(20);
  const DerivedFigure speed = figure(counters(&machine), "floating_point_speed");
  EXPECT_EQ(speed.bound, 100);
  EXPECT_EQ(speed.bound_name, "peak (AVX2), 8 cores");
  machine.measured->peak.clear();
  const Counters of = counters(&machine);
  EXPECT_NEAR(*figure(of, "floating_point_speed").bound, 250 * 20, 1e-6);
  EXPECT_NE(of.roofline.missing.find("the peak of its cores"), std::string::npos);
}

TEST_F(CountersOfARun, the_roofline_says_what_was_not_counted) {
  EXPECT_EQ(counters().roofline, Roofline{}) << "nothing was asked for";
  count({"cycles"}, [](int, trace::CounterSums&) {});
  const Roofline of = counters().roofline;
  EXPECT_TRUE(of.points.empty());
  EXPECT_NE(of.missing.find("floating-point operations"), std::string::npos) << of.missing;
  EXPECT_NE(of.missing.find(" and of memory traffic (cache-misses)."), std::string::npos);
}

TEST_F(CountersOfARun, threads_of_a_rank_work_side_by_side) {
  count({"cache-misses"},
        [](int, trace::CounterSums& sums) { sums.outside[0].value = 4 * 5e9 / 64; });
  for (trace::RankRecord& record : records_) {
    record.counter_sums.push_back(record.counter_sums[0]);
    record.counter_sums[1].tid += 1000;
  }
  EXPECT_NEAR(figure(counters(), "memory_bandwidth").value, 10, 1e-9);
}

TEST_F(CountersOfARun, threads_that_sleep_beside_the_program_do_not_lengthen_its_time) {
  count({"cache-misses"},
        [](int, trace::CounterSums& sums) { sums.outside[0].value = 4 * 5e9 / 64; });
  for (trace::RankRecord& record : records_) {  // a thread of the MPI library
    trace::CounterSums& asleep = record.counter_sums.emplace_back();
    asleep.tid = 1000 + record.world_rank;
    asleep.outside_s = 100;
    asleep.outside.resize(1);
    asleep.inside.resize(1);
  }
  EXPECT_NEAR(figure(counters(), "memory_bandwidth").value, 5, 1e-9);
}

TEST_F(CountersOfARun, an_event_that_could_not_be_counted_says_why) {
  count({"cycles"}, [](int, trace::CounterSums&) {});
  for (trace::RankRecord& record : records_) {
    record.counters[0].threads = 0;
    record.counters[0].failures = 1;
    record.counters[0].error = ENOENT;
    record.counter_sums[0].outside[0] = record.counter_sums[0].inside[0] = {};
  }
  const Counters of = counters();
  EXPECT_NE(of.events[0].problem.find("virtual machines"), std::string::npos);
  EXPECT_NE(printed(of).find("cycles not counted: "), std::string::npos) << printed(of);
}

TEST_F(CountersOfARun, ranks_that_differ_are_named) {
  count({"page-faults"}, [](int rank, trace::CounterSums& sums) {
    sums.outside[0].value = rank == 1 ? 3000 : 1000;
  });
  EXPECT_NE(printed(counters()).find("rank 1 has 1.50 times the mean page-faults"),
            std::string::npos)
      << printed(counters());
}

TEST_F(CountersOfARun, follow_from_a_record_file_as_a_process_writes_it) {
  const auto file = std::filesystem::path(::testing::TempDir()) /
                    ("plait-counters-" + std::to_string(::getpid()) + ".rec");
  trace::test::SyntheticRecord synthetic;
  synthetic.header().host = synthetic.string("n0");
  synthetic.header().at_init_end = {1000, 0, 0};
  synthetic.header().at_last = {1000 + 10'000'000'000, 0, 10'000'000'000};
  synthetic.table<plait_region_record>(
      PLAIT_SECTION_REGIONS,
      {{synthetic.string("step"), 0, 1, 1, 0}, {synthetic.string("solve"), 1, 1, 1, 0}});
  trace::test::add_resources(synthetic);
  synthetic.write(file);
  records_ = {trace::read_record(file)};
  std::filesystem::remove(file);
  const machine::MachineFile machine = machine_with_stream(20);
  const Counters of = counters(&machine);
  // 10^6 misses in one of two seconds, 64 bytes each.
  EXPECT_NEAR(figure(of, "memory_bandwidth", "step/solve").value, 2e6 * 64 / 2 * 1e-9, 1e-6);
  EXPECT_EQ(figure(of, "memory_bandwidth").bound, 20);
  EXPECT_TRUE(of.roofline.points.empty());
  EXPECT_NE(of.roofline.missing.find("counts of floating-point operations"), std::string::npos);
  EXPECT_EQ(of.roofline.missing.find("memory traffic"), std::string::npos);
  EXPECT_DOUBLE_EQ(*of.threads.at(0).outside[0], 6e9);
  EXPECT_EQ(of.events.at(1).failures, 1u);
  EXPECT_NE(of.events.at(1).problem.find("too many open files"), std::string::npos);
  ASSERT_EQ(of.energy.size(), 1u);
  EXPECT_DOUBLE_EQ(of.energy[0].joules, 250);
  EXPECT_GT(of.energy[0].watts, 0);
  records_[0].counters[0].name = "r10c7";  // of 4 operations each, in place of cycles
  const Roofline roofline = counters(&machine).roofline;
  ASSERT_EQ(roofline.points.size(), 4u);
  EXPECT_EQ(roofline.points[3].rank, records_[0].world_rank);
  for (const RooflinePoint& point : roofline.points) {
    EXPECT_NEAR(point.intensity, 4 * 6e9 / (2e6 * 64), 1e-6);
    EXPECT_NEAR(point.gflops, 4 * 6e9 / 2 * 1e-9, 1e-9);
  }
}

TEST_F(CountersOfARun, without_events_print_nothing) {
  EXPECT_EQ(printed({}), "");
}

}  // namespace
}  // namespace plait::report
