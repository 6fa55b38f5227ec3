// SPDX-License-Identifier: BSD-3-Clause
// Numbers with their units: times, amounts of data, rates, percentages.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace plait {

/// Zeros at the end of the decimals: kept in a figure that was measured or computed, whose digits
/// show its precision ("50.0 us"); dropped in one that was given ("50 us").
enum class Zeros { kept, dropped };

/// Three significant digits and no exponent, all digits before the decimal point: "0.0123", "1.23",
/// "12.3", "1234"; below 0.001 two digits. 0 is "0".
std::string format_number(double value);
std::string format_number(double value, Zeros zeros);

/// "18.0 ns", "4.56 ms", "12.3 s", from an hour on "2h05m" and from 100 hours on "123 h". Times
/// below 0 count as 0.
std::string format_seconds(double seconds);
std::string format_seconds(double seconds, Zeros zeros);

/// An amount of data in units of 1024: "512 B", "32 KiB", "31.2 KiB", "1.5 MiB". Bytes are counted
/// and not measured, so zeros at the end are dropped.
std::string format_bytes(double bytes);
template <std::integral Number>
std::string format_bytes(Number bytes) {
  return format_bytes(static_cast<double>(bytes));
}

/// The rate of memory, a path or a card in units of 1000: "85.0 MB/s", "12.3 GB/s".
std::string format_bytes_per_second(double rate);

/// The rate of a link as it is set: "100 Mbit/s", "1 Gbit/s".
/// @param rate  bytes per second
std::string format_bits_per_second(double rate);

/// "82 %", "0.4 %", "<0.1 %", ">999 %"; 100 % only for the whole.
std::string format_percent(double fraction);
std::string format_percent(double fraction, Zeros zeros);

/// The speed of a solver in lattice site updates: "587 MLUP/s", "12.3 GLUP/s" from 10 GLUP/s on.
/// @param rate  updates per second
std::string format_updates_per_second(double rate);

/// True for a unit that one of these functions writes.
bool is_unit(std::string_view text);

}  // namespace plait
