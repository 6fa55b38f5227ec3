// SPDX-License-Identifier: BSD-3-Clause
// Numbers with units.
#include "text/units.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace plait {
namespace {

TEST(Numbers, have_three_digits_and_no_exponent) {
  EXPECT_EQ(format_number(0), "0");
  EXPECT_EQ(format_number(123456), "123456");
  EXPECT_EQ(format_number(99.96), "100");
  EXPECT_EQ(format_number(58.72), "58.7");
  EXPECT_EQ(format_number(9.996), "10.0");
  EXPECT_EQ(format_number(5.872), "5.87");
  EXPECT_EQ(format_number(0.9996), "1.00");
  EXPECT_EQ(format_number(0.1234), "0.123");
  EXPECT_EQ(format_number(0.01234), "0.0123");
  EXPECT_EQ(format_number(-5.872), "-5.87");
  EXPECT_EQ(format_number(0.00012), "0.00012");
  EXPECT_EQ(format_number(std::numeric_limits<double>::infinity()), "inf");
}

TEST(Numbers, drop_zeros_on_request) {
  EXPECT_EQ(format_number(2, Zeros::dropped), "2");
  EXPECT_EQ(format_number(1.5, Zeros::dropped), "1.5");
  EXPECT_EQ(format_number(100, Zeros::dropped), "100");
  EXPECT_EQ(format_number(0.05, Zeros::dropped), "0.05");
  EXPECT_EQ(format_number(2), "2.00");
}

TEST(Times, have_a_unit_between_nanoseconds_and_hours) {
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_seconds(-1e-9), "0 s");
  EXPECT_EQ(format_seconds(1.8e-8), "18.0 ns");
  EXPECT_EQ(format_seconds(0.00456), "4.56 ms");
  EXPECT_EQ(format_seconds(0.99996), "1.00 s");
  EXPECT_EQ(format_seconds(123.4), "123 s");
  EXPECT_EQ(format_seconds(7500), "2h05m");
  EXPECT_EQ(format_seconds(400000), "111 h");
  EXPECT_EQ(format_seconds(50e-6), "50.0 us");
  EXPECT_EQ(format_seconds(50e-6, Zeros::dropped), "50 us");
}

TEST(Amounts, have_units_of_1024_and_no_zeros_at_the_end) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(32000), "31.2 KiB");
  EXPECT_EQ(format_bytes(32768), "32 KiB");
  EXPECT_EQ(format_bytes(1536 * 1024), "1.5 MiB");
  EXPECT_EQ(format_bytes(1280 * 1024), "1.25 MiB");
  EXPECT_EQ(format_bytes(1048575), "1 MiB");
  EXPECT_EQ(format_bytes(std::uint64_t{64} << 30U), "64 GiB");
}

TEST(Rates, have_units_of_1000) {
  EXPECT_EQ(format_bytes_per_second(85e6), "85.0 MB/s");
  EXPECT_EQ(format_bytes_per_second(12.34e9), "12.3 GB/s");
  EXPECT_EQ(format_bytes_per_second(999.6e6), "1.00 GB/s");
  EXPECT_EQ(format_bits_per_second(125e6), "1 Gbit/s");
  EXPECT_EQ(format_bits_per_second(12.5e6), "100 Mbit/s");
  EXPECT_EQ(format_bits_per_second(312.5e6), "2.5 Gbit/s");
  EXPECT_EQ(format_bits_per_second(1e3), "8 kbit/s");
  EXPECT_EQ(format_updates_per_second(587.2e6), "587 MLUP/s");
  EXPECT_EQ(format_updates_per_second(9999e6), "9999 MLUP/s");
  EXPECT_EQ(format_updates_per_second(12.34e9), "12.3 GLUP/s");
}

TEST(Percentages, are_100_only_for_the_whole) {
  EXPECT_EQ(format_percent(1), "100 %");
  EXPECT_EQ(format_percent(0.9999), "99.9 %");
  EXPECT_EQ(format_percent(0.82), "82 %");
  EXPECT_EQ(format_percent(0.034), "3.4 %");
  EXPECT_EQ(format_percent(0.0001), "<0.1 %");
  EXPECT_EQ(format_percent(0), "0 %");
  EXPECT_EQ(format_percent(123), ">999 %");
  EXPECT_EQ(format_percent(0.05), "5.0 %");
  EXPECT_EQ(format_percent(0.05, Zeros::dropped), "5 %");
  EXPECT_EQ(format_percent(0.025, Zeros::dropped), "2.5 %");
}

TEST(Units, are_known) {
  for (const char* unit : {"%", "us", "KiB", "GB/s", "Mbit/s", "MLUP/s"}) {
    EXPECT_TRUE(is_unit(unit)) << unit;
  }
  for (const char* word : {"", "ranks", "S", "kib"}) EXPECT_FALSE(is_unit(word)) << word;
}

}  // namespace
}  // namespace plait
