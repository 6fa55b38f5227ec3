// SPDX-License-Identifier: BSD-3-Clause
// Tests of reading energy from a folder like /sys/class/powercap.
#include "preload/memory/energy.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "fake_recorder.hpp"

namespace plait::preload {
namespace {

namespace fs = std::filesystem;

TEST(Energy, OfPackagesAndTheirPartsIsAddedUpAcrossTheEndOfTheirRange) {
  test::begin_record();
  const fs::path folder =
      fs::path(::testing::TempDir()) / ("plait-powercap-" + std::to_string(getpid()));
  const auto write = [&](const std::string& zone, const std::string& file,
                         const std::string& text) {
    fs::create_directories(folder / zone);
    std::ofstream(folder / zone / file) << text << "\n";
  };
  for (const char* zone : {"intel-rapl:0", "intel-rapl:0:0", "intel-rapl:1"}) {
    write(zone, "name", std::string(zone).ends_with(":0:0") ? "dram" : "package");
    write(zone, "energy_uj", "900");
    write(zone, "max_energy_range_uj", "1000");
  }
  write("intel-rapl:1", "name", "package-1");
  write("intel-rapl:3", "name", "after a gap");
  sample_energy(folder.c_str());
  write("intel-rapl:0", "energy_uj", "950");
  write("intel-rapl:0:0", "energy_uj", "20");  // it began again from 0
  sample_energy(folder.c_str());
  write("intel-rapl:0", "energy_uj", "960");
  sample_energy(folder.c_str());
  const auto zones = test::entries<plait_energy_record>(PLAIT_SECTION_ENERGY);
  ASSERT_EQ(zones.size(), 3u);
  EXPECT_EQ(test::string_at(zones[0].name), "package");
  EXPECT_EQ(zones[0].used_uj, 60u);
  EXPECT_EQ(test::string_at(zones[1].name), "package/dram");
  EXPECT_EQ(zones[1].used_uj, 120u);
  EXPECT_EQ(test::string_at(zones[2].name), "package-1");
  EXPECT_EQ(zones[2].used_uj, 0u);
  fs::remove_all(folder);
  sample_energy(folder.c_str());  // gone: nothing is added
  EXPECT_EQ(test::entries<plait_energy_record>(PLAIT_SECTION_ENERGY)[0].used_uj, 60u);
}

}  // namespace
}  // namespace plait::preload
