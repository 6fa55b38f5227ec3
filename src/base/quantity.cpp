// SPDX-License-Identifier: BSD-3-Clause
// Parses quantities with units as a user types them: 50us, 90MB/s, 2GiB.
#include "base/quantity.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>

#include "plait/error.hpp"

namespace plait {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 4> kTimes{{{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};
constexpr std::array<Unit, 3> kRates{{{"Hz", 1}, {"kHz", 1e3}, {"", 1}}};
constexpr std::array<Unit, 12> kBandwidths{{{"kB/s", 1e3},
                                            {"MB/s", 1e6},
                                            {"GB/s", 1e9},
                                            {"KiB/s", 1024},
                                            {"MiB/s", 1024.0 * 1024},
                                            {"GiB/s", 1024.0 * 1024 * 1024},
                                            {"kbit/s", 125},
                                            {"Mbit/s", 125e3},
                                            {"Gbit/s", 125e6},
                                            {"kbit", 125},
                                            {"mbit", 125e3},
                                            {"gbit", 125e6}}};

constexpr std::array<Unit, 7> kSizes{{{"B", 1},
                                      {"kB", 1e3},
                                      {"MB", 1e6},
                                      {"GB", 1e9},
                                      {"KiB", 1024},
                                      {"MiB", 1024.0 * 1024},
                                      {"GiB", 1024.0 * 1024 * 1024}}};

double parse(const std::string& text, std::span<const Unit> units, const char* what,
             const char* example) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  std::string names;
  for (const Unit& known : units) {
    if (error == std::errc{} && unit == known.name && number > 0 && std::isfinite(number)) {
      return number * known.factor;
    }
    if (!known.name.empty()) names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  }
  throw Error(
      text, fmt::format("not a {}", what),
      fmt::format("give a positive number with a unit, such as {} (units: {})", example, names));
}

}  // namespace

double parse_seconds(const std::string& text) {
  return parse(text, kTimes, "time", "50us");
}

double parse_hertz(const std::string& text) {
  return parse(text, kRates, "rate", "100Hz");
}

double parse_bytes_per_second(const std::string& text) {
  return parse(text, kBandwidths, "bandwidth", "90MB/s");
}

double parse_bytes(const std::string& text) {
  return parse(text, kSizes, "size", "2GiB");
}

}  // namespace plait
