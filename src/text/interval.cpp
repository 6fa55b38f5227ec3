// SPDX-License-Identifier: BSD-3-Clause
// Ranges and values with their intervals: "1.20 to 1.30 s", "12.3 s (12.1 to 12.6)".
#include "text/interval.hpp"

namespace plait {
namespace {

/// " s" of "1.20 s"; empty if there is no unit.
std::string unit_of(const std::string& value) {
  const std::size_t blank = value.find(' ');
  return blank == std::string::npos ? "" : value.substr(blank);
}

std::string without_unit(const std::string& value) {
  return value.substr(0, value.find(' '));
}

const char* between(Ends ends) {
  return ends == Ends::apart ? " to " : "-";
}

}  // namespace

std::string format_range(const std::string& low, const std::string& high, Ends ends) {
  if (low == high) return low;
  return (unit_of(low) == unit_of(high) ? without_unit(low) : low) + between(ends) + high;
}

std::string format_range(double low, double high, std::string (*format)(double), Ends ends) {
  return format_range(format(low), format(high), ends);
}

std::string format_interval(const std::string& value, const std::string& low,
                            const std::string& high, Ends ends) {
  if (low == high) return value;
  const std::string range = format_range(low, high, ends);
  const bool alike = unit_of(value) == unit_of(low) && unit_of(value) == unit_of(high);
  const std::string within = alike ? range.substr(0, range.size() - unit_of(value).size()) : range;
  return value + " (" + within + ")";
}

std::string format_interval(double value, double low, double high, std::string (*format)(double),
                            Ends ends) {
  return format_interval(format(value), format(low), format(high), ends);
}

}  // namespace plait
