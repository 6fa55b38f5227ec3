// SPDX-License-Identifier: BSD-3-Clause
// Names of events: the kernel's, raw ones, and those of PMUs in a folder like the kernel's.
#include "run/counter_events.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cerrno>
#include <fstream>

#include "plait/error.hpp"

namespace plait::run {
namespace {

namespace fs = std::filesystem;

class CounterEvents : public ::testing::Test {
protected:
  void SetUp() override {
    fs::remove_all(devices_);
    write("cpu/type", "4\n");
    write("cpu/format/event", "config:0-7,32-35\n");
    write("cpu/format/umask", "config:8-15\n");
    write("cpu/format/ldlat", "config1:0-15\n");
    write("cpu/format/edge", "config:18\n");
    write("cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
    write("cpu/events/mem-loads.unit", "Joules\n");
    write("uncore/type", "21\n");
    write("uncore/cpumask", "0\n");
  }
  void TearDown() override { fs::remove_all(devices_); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((devices_ / name).parent_path());
    std::ofstream(devices_ / name) << text;
  }
  std::string error_of(const std::string& name) {
    try {
      find_event(name, devices_);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  fs::path devices_ = fs::path(::testing::TempDir()) / "plait-event-sources";
};

TEST_F(CounterEvents, have_the_names_that_perf_uses) {
  EXPECT_EQ(find_event("cycles", devices_),
            (CounterEvent{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES}));
  EXPECT_EQ(find_event("page-faults", devices_),
            (CounterEvent{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS}));
  EXPECT_EQ(find_event("LLC-load-misses", devices_).config, 0x10002u);
}

TEST_F(CounterEvents, may_be_raw) {
  EXPECT_EQ(find_event("r10c7", devices_), (CounterEvent{"r10c7", PERF_TYPE_RAW, 0x10c7}));
  EXPECT_NE(error_of("rest").find("unknown event"), std::string::npos);
}

TEST_F(CounterEvents, of_a_pmu_are_put_together_from_its_format) {
  EXPECT_EQ(find_event("cpu/event=0x1c7,umask=0x10,edge/", devices_),
            (CounterEvent{"cpu/event=0x1c7,umask=0x10,edge/", 4, 0x1000410c7}));
  EXPECT_EQ(find_event("cpu/mem-loads/", devices_), (CounterEvent{"cpu/mem-loads/", 4, 0x1cd, 3}));
  EXPECT_EQ(find_event("cpu/config=0x3c/", devices_).config, 0x3cu);
}

TEST_F(CounterEvents, that_do_not_exist_are_refused_in_one_line) {
  for (const char* name : {"cycle", "cpu/nothing/", "cpu/umask=0x100/", "cpu/umask=x/",
                           "gpu/event/", "../event/", "uncore/event/", "/", "r"}) {
    EXPECT_FALSE(error_of(name).empty()) << name;
    EXPECT_EQ(error_of(name).find('\n'), std::string::npos) << name;
  }
  EXPECT_NE(error_of("uncore/event/").find("not for a thread"), std::string::npos);
}

TEST_F(CounterEvents, of_the_kernels_folder_are_listed_without_units) {
  EXPECT_EQ(sysfs_events(devices_), std::vector<std::string>{"cpu/mem-loads/"});
}

TEST_F(CounterEvents, are_separated_by_commas_outside_of_slashes) {
  EXPECT_EQ(split_event_names("cycles,cpu/event=1,umask=2/,,r01"),
            (std::vector<std::string>{"cycles", "cpu/event=1,umask=2/", "r01"}));
  EXPECT_TRUE(split_event_names("").empty());
}

TEST_F(CounterEvents, are_counted_once_and_not_more_than_a_thread_can_have) {
  EXPECT_EQ(find_events({"cycles", "cycles"}).size(), 1u);
  std::vector<std::string> many;
  for (int i = 1; i < 20; ++i) many.push_back("r" + std::to_string(i));
  EXPECT_THROW(find_events(many), Error);
}

TEST_F(CounterEvents, reach_the_preload_object_as_numbers_and_name) {
  EXPECT_EQ(counters_variable({find_event("cycles", devices_), {"cpu/a=1,b/", 4, 7, 8, 9}}),
            "0:0:0:0:cycles;4:7:8:9:cpu/a=1,b/");
}

TEST_F(CounterEvents, that_cannot_be_counted_say_why) {
  const CounterEvent cycles = find_event("cycles", devices_);
  EXPECT_NE(event_problem(cycles, ENOENT).find("virtual machines"), std::string::npos);
  EXPECT_NE(event_problem(cycles, EACCES).find("perf_event_paranoid"), std::string::npos);
  EXPECT_EQ(uncountable_events({find_event("task-clock", devices_)}),
            std::vector<std::string>{});  // software events work for every user
  EXPECT_EQ(uncountable_events({{"odd", 4711, 0}}).size(), 1u);
}

}  // namespace
}  // namespace plait::run
