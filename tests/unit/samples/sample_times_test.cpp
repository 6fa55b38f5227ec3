// SPDX-License-Identifier: BSD-3-Clause
// samples.times is read as it was written, and damage is refused.
#include "samples/sample_times.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "made_tree.hpp"
#include "plait/error.hpp"

namespace plait::samples {
namespace {

class SampleTimesTest : public ::testing::Test {
protected:
  SampleTimesTest() {
    std::filesystem::create_directories(run);
    tree.times = {{5, 2, 0, 70, State::code, 1}, {~std::uint64_t{0}, 7, 1, 80, State::mpi, 900}};
    write_samples(tree, run);
  }

  /// Writes the file with other bytes; the error of reading it.
  std::string refusal(std::size_t at, char byte, std::size_t cut = 0) {
    std::ifstream in(sample_times_file(run), std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    bytes[at] = byte;
    bytes.resize(bytes.size() - cut);
    std::ofstream(sample_times_file(run), std::ios::binary) << bytes;
    std::string found;
    try {
      read_samples(run);
    } catch (const Error& error) {
      found = error.what();
    }
    write_samples(tree, run);
    return found;
  }

  CallTree tree = test::made_tree();
  std::filesystem::path run = std::filesystem::path(::testing::TempDir()) / "sample_times";
};

TEST_F(SampleTimesTest, round_trip) {
  EXPECT_EQ(read_samples(run), tree);
  tree.times.clear();
  write_samples(tree, run);
  EXPECT_FALSE(std::filesystem::exists(sample_times_file(run)));
  EXPECT_EQ(read_samples(run), tree);
}

TEST_F(SampleTimesTest, damage_is_refused) {
  EXPECT_NE(refusal(0, 'x').find("not times of samples"), std::string::npos);
  EXPECT_NE(refusal(8, 9).find("has version 9"), std::string::npos);
  EXPECT_NE(refusal(12, 23).find("2 entries of 23 bytes"), std::string::npos);
  EXPECT_NE(refusal(16, 3).find("3 entries"), std::string::npos);
  EXPECT_NE(refusal(24, 99).find("not of the samples.json beside it"), std::string::npos);
  constexpr std::size_t kHead = sizeof(SampleTimesHeader);
  EXPECT_NE(refusal(kHead + 8, 8).find("entry 0 is of node 8"), std::string::npos);
  EXPECT_NE(refusal(kHead + 12, 2).find("and thread 2"), std::string::npos);
  EXPECT_NE(refusal(kHead, 5, 1).find("2 entries"), std::string::npos);
  EXPECT_NE(refusal(0, 0, kHead + 40).find("it has 8 bytes"), std::string::npos);
}

}  // namespace
}  // namespace plait::samples
