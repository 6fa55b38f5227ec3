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
#include "machine/open_machine.hpp"
#include "machine/show_text.hpp"

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

TEST(ShowText, NumbersHaveThreeDigits) {
  EXPECT_EQ(number_text(0.05), "0.0500");
  EXPECT_EQ(number_text(0.00123), "0.0012");
  EXPECT_EQ(number_text(0.3121), "0.312");
  EXPECT_EQ(number_text(1.2345), "1.23");
  EXPECT_EQ(number_text(12.345), "12.3");
  EXPECT_EQ(number_text(999.7), "1000");
  EXPECT_EQ(number_text(12345.6), "12346");
  EXPECT_EQ(number_text(0), "0");
}

TEST(ShowText, BytesHaveBinaryUnits) {
  EXPECT_EQ(bytes_text(0), "?");
  EXPECT_EQ(message_size_text(0), "0 B");
  EXPECT_EQ(bytes_text(48 * 1024), "48 KiB");
  EXPECT_EQ(bytes_text(1536 * 1024), "1.5 MiB");
  EXPECT_EQ(bytes_text(64ULL << 30), "64 GiB");
}

TEST(ShowText, LongListsAreCutInTheMiddle) {
  const std::vector<std::string> parts = {"aa", "bb", "cc", "dd", "ee"};
  EXPECT_EQ(abridged(parts, 14), "aa bb cc dd ee");
  EXPECT_EQ(abridged(parts, 11), "aa bb .. ee");
  EXPECT_EQ(wrapped(parts, 5, 9), (std::vector<std::string>{"aa bb", "cc dd", "ee"}));
  EXPECT_EQ(wrapped(parts, 5, 2), (std::vector<std::string>{"aa bb", "cc .."}));
}

}  // namespace
}  // namespace plait::machine
