// SPDX-License-Identifier: BSD-3-Clause
// Text helpers for the tables of a machine.
#include "machine/show_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace plait::machine {
namespace {

std::string scaled(std::uint64_t bytes) {
  static constexpr std::array<const char*, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  const bool whole = value >= 100 || std::abs(value - std::round(value)) < 0.05;
  return whole ? fmt::format("{:.0f} {}", value, units[unit])
               : fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  return bytes == 0 ? "?" : scaled(bytes);
}

std::string message_size_text(std::uint64_t bytes) {
  return scaled(bytes);
}

std::string number_text(double value) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:.3g}", value);
  const int before_point = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return fmt::format("{:.{}f}", value, std::clamp(3 - before_point, 0, 4));
}

std::string abridged(const std::vector<std::string>& parts, std::size_t width) {
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : " ") + part;
  if (all.size() <= width || parts.size() < 3) return all;
  const std::string tail = " .. " + parts.back();
  std::string text = parts.front();
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    if (text.size() + 1 + parts[i].size() + tail.size() > width) break;
    text += " " + parts[i];
  }
  return text + tail;
}

std::vector<std::string> wrapped(const std::vector<std::string>& parts, std::size_t width,
                                 std::size_t most_lines) {
  std::vector<std::string> lines;
  for (std::string part : parts) {
    if (part.size() > width) part = part.substr(0, width - 2) + "..";
    if (lines.empty() || lines.back().size() + 1 + part.size() > width) {
      if (lines.size() == most_lines) {
        std::string& last = lines.back();
        while (last.size() + 3 > width && last.find(' ') != std::string::npos) {
          last.erase(last.rfind(' '));
        }
        last += " ..";
        break;
      }
      lines.push_back(part);
    } else {
      lines.back() += " " + part;
    }
  }
  return lines;
}

}  // namespace plait::machine
