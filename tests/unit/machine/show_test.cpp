// SPDX-License-Identifier: BSD-3-Clause
// The tables of every bundled machine equal their golden text. PLAIT_UPDATE_GOLDEN=1 in the
// environment rewrites the golden files.
#include "machine/show.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/json_file.hpp"
#include "machine/discover.hpp"
#include "machine/measured_text.hpp"
#include "machine/open_machine.hpp"
#include "text/units.hpp"

namespace plait::machine {
namespace {

const std::filesystem::path kGolden = PLAIT_TEST_DATA "/machines/golden";

TEST(Show, EveryMachineLooksAsItsGoldenText) {
  for (const NamedMachine& known : list_machines()) {
    const std::string text = show(open_machine(known.name));
    const std::filesystem::path golden = kGolden / (known.name + ".txt");
    if (std::getenv("PLAIT_UPDATE_GOLDEN") != nullptr) write_text_file(golden, text);
    EXPECT_EQ(text, read_text_file(golden)) << known.name;
  }
}

TEST(Show, FitsEightyColumnsWithoutBlanksAtTheEnd) {
  std::vector<MachineFile> machines = {discover_local(), open_machine("measured-example")};
  for (const NamedMachine& known : list_machines()) machines.push_back(open_machine(known.name));
  machines[0].host = std::string(300, 'h');
  machines[0].notes = {std::string(200, 'n') + " " + std::string(20, 'n')};
  machines[1].measured->mpi->library = std::string(300, 'm');
  machines[1].measured->paths[0].name = std::string(90, 'p');
  for (const MachineFile& file : machines) {
    std::istringstream lines(show(file));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 80U) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

TEST(Statistics, HaveAnIntervalUnlessTheyAreOneSample) {
  Statistic value;
  value.median = 0.25;
  value.ci_low = 0.237;
  value.ci_high = 0.2634;
  value.n = 10;
  EXPECT_EQ(statistic_text(value, 1e-6, format_seconds), "250 ns (237-263)");
  EXPECT_EQ(statistic_text(value, 1, format_number), "0.250 (0.237-0.263)");
  value.n = 1;
  EXPECT_EQ(statistic_text(value, 1, format_number), "0.250 (one sample)");
}

}  // namespace
}  // namespace plait::machine
