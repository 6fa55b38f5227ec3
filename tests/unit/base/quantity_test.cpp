// SPDX-License-Identifier: BSD-3-Clause
// Quantities as a user types them.
#include "base/quantity.hpp"

#include <gtest/gtest.h>

#include <string>

#include "plait/error.hpp"

namespace plait {
namespace {

TEST(Quantity, TimesHaveUnits) {
  EXPECT_DOUBLE_EQ(parse_seconds("50us"), 50e-6);
  EXPECT_DOUBLE_EQ(parse_seconds("1.5 ms"), 1.5e-3);
  EXPECT_DOUBLE_EQ(parse_seconds("2e3ns"), 2e-6);
  EXPECT_DOUBLE_EQ(parse_seconds("3s"), 3);
}

TEST(Quantity, BandwidthsAreInBytesOrBits) {
  EXPECT_DOUBLE_EQ(parse_bytes_per_second("90MB/s"), 90e6);
  EXPECT_DOUBLE_EQ(parse_bytes_per_second("1.2 GB/s"), 1.2e9);
  EXPECT_DOUBLE_EQ(parse_bytes_per_second("100MiB/s"), 104857600);
  EXPECT_DOUBLE_EQ(parse_bytes_per_second("1Gbit/s"), 125e6);
}

TEST(Quantity, SizesAreInPowersOf1000Or1024) {
  EXPECT_DOUBLE_EQ(parse_bytes("4096B"), 4096);
  EXPECT_DOUBLE_EQ(parse_bytes("1.5 MB"), 1.5e6);
  EXPECT_DOUBLE_EQ(parse_bytes("2GiB"), 2147483648.0);
  EXPECT_THROW(parse_bytes("2G"), Error);
}

TEST(Quantity, RatesMayHaveNoUnit) {
  EXPECT_DOUBLE_EQ(parse_hertz("100Hz"), 100);
  EXPECT_DOUBLE_EQ(parse_hertz("1 kHz"), 1000);
  EXPECT_DOUBLE_EQ(parse_hertz("97"), 97);
  try {
    parse_hertz("often");
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "often: not a rate; give a positive number with a unit, such as 100Hz (units: Hz, "
              "kHz)");
  }
}

TEST(Quantity, OtherTextIsRefused) {
  for (const char* text :
       {"", "50", "us", "0us", "-1us", "50us ", "50u", "infs", "nans", "5 5us"}) {
    EXPECT_THROW(parse_seconds(text), Error) << text;
  }
  for (const char* text : {"90", "90MB", "90M", "0MB/s", "-90MB/s", "90mb/s", "1e999GB/s"}) {
    EXPECT_THROW(parse_bytes_per_second(text), Error) << text;
  }
  try {
    parse_seconds("50");
  } catch (const Error& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "50: not a time; give a positive number with a unit, such as 50us (units: ns, us, ms, s)");
  }
}

}  // namespace
}  // namespace plait
