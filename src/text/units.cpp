// SPDX-License-Identifier: BSD-3-Clause
// Numbers with their units: times, amounts of data, rates, percentages.
#include "text/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace plait {
namespace {

struct Unit {
  double size;
  const char* name;
};

constexpr std::array<Unit, 4> kTimes{{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
constexpr double kKi = 1024;
constexpr std::array<Unit, 7> kBytes{{{kKi * kKi * kKi * kKi * kKi * kKi, "EiB"},
                                      {kKi * kKi * kKi * kKi * kKi, "PiB"},
                                      {kKi * kKi * kKi * kKi, "TiB"},
                                      {kKi * kKi * kKi, "GiB"},
                                      {kKi * kKi, "MiB"},
                                      {kKi, "KiB"},
                                      {1, "B"}}};
constexpr std::array<Unit, 5> kByteRates{
    {{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}, {1, "B/s"}}};
constexpr std::array<Unit, 4> kBitRates{
    {{1e9, "Gbit/s"}, {1e6, "Mbit/s"}, {1e3, "kbit/s"}, {1, "bit/s"}}};
constexpr std::array<Unit, 2> kUpdateRates{{{1e9, "GLUP/s"}, {1e6, "MLUP/s"}}};
constexpr std::array<const char*, 2> kOtherUnits{"%", "h"};

/// In the largest unit in which the value, rounded to digits below `next` units, is at least 1.
std::string in_units(double value, std::span<const Unit> units, double next, Zeros zeros) {
  const double almost = 1 - 0.5 / next;
  const auto fits = std::find_if(units.begin(), units.end(), [&](const Unit& unit) {
    return std::abs(value) >= almost * unit.size;
  });
  const Unit& unit = fits == units.end() ? units.back() : *fits;
  return fmt::format("{} {}", format_number(value / unit.size, zeros), unit.name);
}

int decimals_of(double size) {
  if (size >= 99.95) return 0;
  if (size >= 9.995) return 1;
  if (size >= 0.9995) return 2;
  return size >= 0.09995 ? 3 : 4;
}

bool has(std::span<const Unit> units, std::string_view name) {
  return std::any_of(units.begin(), units.end(),
                     [&](const Unit& unit) { return unit.name == name; });
}

}  // namespace

std::string format_number(double value) {
  return format_number(value, Zeros::kept);
}

std::string format_number(double value, Zeros zeros) {
  constexpr double kSmall = 0.0009995;
  if (value == 0) return "0";
  if (!std::isfinite(value) || std::abs(value) < kSmall) return fmt::format("{:.2g}", value);
  std::string text = fmt::format("{:.{}f}", value, decimals_of(std::abs(value)));
  if (zeros == Zeros::dropped && text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

std::string format_seconds(double seconds) {
  return format_seconds(seconds, Zeros::kept);
}

std::string format_seconds(double seconds, Zeros zeros) {
  if (seconds <= 0) return "0 s";
  if (seconds >= 1e8) return fmt::format("{:.0e} s", seconds);
  if (seconds >= 359999.5) return fmt::format("{:.0f} h", seconds / 3600);
  if (seconds >= 3599.5) {
    const auto minutes = static_cast<long long>(std::llround(seconds / 60));
    return fmt::format("{}h{:02}m", minutes / 60, minutes % 60);
  }
  return in_units(seconds, kTimes, 1000, zeros);
}

std::string format_bytes(double bytes) {
  if (bytes < 1023.5) return fmt::format("{:.0f} B", bytes);
  return in_units(bytes, kBytes, 1024, Zeros::dropped);
}

std::string format_bytes_per_second(double rate) {
  return in_units(rate, kByteRates, 1000, Zeros::kept);
}

std::string format_bits_per_second(double rate) {
  return in_units(8 * rate, kBitRates, 1000, Zeros::dropped);
}

std::string format_percent(double fraction) {
  return format_percent(fraction, Zeros::kept);
}

std::string format_percent(double fraction, Zeros zeros) {
  const double percent = fraction * 100;
  if (percent >= 999.5) return ">999 %";
  if (percent > 0 && percent < 0.1) return "<0.1 %";
  if (percent > 0 && percent < 9.95) {
    const bool whole = std::abs(percent - std::round(percent)) < 0.05;
    return fmt::format("{:.{}f} %", percent, whole && zeros == Zeros::dropped ? 0 : 1);
  }
  // Print 100 % only for exactly 1.
  if (percent < 100 && percent >= 99.5) return fmt::format("{:.1f} %", std::min(percent, 99.9));
  return fmt::format("{:.0f} %", percent);
}

std::string format_updates_per_second(double rate) {
  const auto& [size, name] = rate >= 9999.5e6 ? kUpdateRates[0] : kUpdateRates[1];
  return format_number(rate / size) + " " + name;
}

bool is_unit(std::string_view text) {
  return has(kTimes, text) || has(kBytes, text) || has(kByteRates, text) || has(kBitRates, text) ||
         has(kUpdateRates, text) ||
         std::find(kOtherUnits.begin(), kOtherUnits.end(), text) != kOtherUnits.end();
}

}  // namespace plait
