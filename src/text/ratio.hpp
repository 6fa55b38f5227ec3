// SPDX-License-Identifier: BSD-3-Clause
// One value beside another: ratios, and changes in percent, in points and in seconds.
#pragma once

#include <string>

namespace plait {

/// "0.83", "1.45", "12.3", "123": two decimals below 10, and at least two digits.
std::string format_ratio(double ratio);

/// The change from one value, which is above 0, to another: "+5.0 %", "-12.3 %"; from ten times on
/// "12.3 times".
std::string format_change(double from, double to);

/// A difference of two fractions in percentage points: "+1.2 points".
std::string format_points(double difference);

/// A difference of two times: "+1.20 s", "-150 ms"; below a nanosecond "same".
std::string format_change_of_seconds(double difference);

}  // namespace plait
