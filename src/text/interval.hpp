// SPDX-License-Identifier: BSD-3-Clause
// Ranges and values with their intervals: "1.20 to 1.30 s", "12.3 s (12.1 to 12.6)".
#pragma once

#include <string>

namespace plait {

/// The text between the ends of a range: "1.20 to 1.30 s" in sentences, "1.20-1.30 s" in cells of
/// tables, which are narrow.
enum class Ends { apart, close };

/// From one value to another: "1.20 to 1.30 s", "950 ms to 1.05 s"; one value if both read alike.
/// @param low, high  formatted, with a blank before the unit if there is one
std::string format_range(const std::string& low, const std::string& high, Ends ends = Ends::apart);

/// The same of two values.
/// @param format  such as format_seconds
std::string format_range(double low, double high, std::string (*format)(double),
                         Ends ends = Ends::apart);

/// A value and its interval, with the unit once if it is the same: "12.3 s (12.1 to 12.6)", "998 ms
/// (995 ms to 1.02 s)"; the value alone if both ends read alike.
/// @param value, low, high  formatted, with a blank before the unit if there is one
std::string format_interval(const std::string& value, const std::string& low,
                            const std::string& high, Ends ends = Ends::apart);

/// The same of three values.
/// @param format  such as format_seconds
std::string format_interval(double value, double low, double high, std::string (*format)(double),
                            Ends ends = Ends::apart);

}  // namespace plait
