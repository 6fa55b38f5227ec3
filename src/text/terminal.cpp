// SPDX-License-Identifier: BSD-3-Clause
// Text for a terminal: display width, truncation, wrapping, and numbers with their units.
#include "text/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace plait {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// The character at the start of a non-empty text; one invalid byte if it is not UTF-8.
Character decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
  char32_t code = first & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kSmallest[bytes] || code > 0x10ffff || surrogate) return {};
  return {code, bytes, true};
}

struct Range {
  char32_t low, high;
};

// Unicode 15 (EastAsianWidth W and F; Mn and format characters), the blocks in common use.
constexpr std::array<Range, 11> kWide{{{0x1100, 0x115f},
                                       {0x2e80, 0x303e},
                                       {0x3041, 0xa4cf},
                                       {0xac00, 0xd7a3},
                                       {0xf900, 0xfaff},
                                       {0xfe30, 0xfe6f},
                                       {0xff00, 0xff60},
                                       {0xffe0, 0xffe6},
                                       {0x1f300, 0x1f64f},
                                       {0x1f680, 0x1faff},
                                       {0x20000, 0x3fffd}}};
constexpr std::array<Range, 4> kNoWidth{
    {{0x300, 0x36f}, {0x200b, 0x200f}, {0x202a, 0x202e}, {0xfe00, 0xfe0f}}};

template <std::size_t n>
bool within(const std::array<Range, n>& ranges, char32_t code) {
  for (const Range& range : ranges) {
    if (code >= range.low && code <= range.high) return true;
  }
  return false;
}

std::size_t width_of(const Character& one) {
  if (!one.valid) return 1;
  if (within(kNoWidth, one.code)) return 0;
  return within(kWide, one.code) ? 2 : 1;
}

/// The longest start of a text that takes at most `width` columns.
std::string_view head(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  std::size_t columns = 0;
  while (at < text.size()) {
    const Character one = decode(text.substr(at));
    if (columns + width_of(one) > width) break;
    columns += width_of(one);
    at += one.bytes;
  }
  return text.substr(0, at);
}

/// The longest end of a text that takes at most `width` columns.
std::string_view tail(std::string_view text, std::size_t width) {
  std::size_t columns = display_width(text);
  std::size_t at = 0;
  while (at < text.size() && columns > width) {
    const Character one = decode(text.substr(at));
    columns -= width_of(one);
    at += one.bytes;
  }
  return text.substr(at);
}

/// True if a line may end before the blank at `at`, which is not between a number and its unit.
bool may_break_at(std::string_view text, std::size_t at) {
  if (text[at] != ' ') return false;
  const bool number = std::isdigit(static_cast<unsigned char>(text[at - 1])) != 0;
  if (!number) return true;
  const std::string_view rest = text.substr(at + 1);
  const std::string_view word = rest.substr(0, rest.find_first_of(" ,;:.)"));
  constexpr std::array<std::string_view, 9> kUnits{"%",   "s", "ms",  "us", "ns",
                                                   "KiB", "B", "MiB", "GiB"};
  return std::find(kUnits.begin(), kUnits.end(), word) == kUnits.end();
}

/// Three significant digits.
std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  return size >= 9.995 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Character one = decode(text);
    columns += width_of(one);
    text.remove_prefix(one.bytes);
  }
  return columns;
}

std::string printable(std::string_view text, bool utf8) {
  std::string clean;
  while (!text.empty()) {
    const Character one = decode(text);
    const bool control = one.code < 0x20 || (one.code >= 0x7f && one.code < 0xa0) ||
                         (one.code >= 0x200b && one.code <= 0x200f) ||
                         (one.code >= 0x2028 && one.code <= 0x202e) ||
                         (one.code >= 0x2066 && one.code <= 0x2069);
    const bool shown = one.valid && !control && (utf8 || one.code < 0x80);
    clean += shown ? text.substr(0, one.bytes) : std::string_view("?");
    text.remove_prefix(one.bytes);
  }
  return clean;
}

std::string truncate(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width <= 3) return std::string(3, '.').substr(0, width);
  return std::string(head(text, width - 3)) + "...";
}

std::string truncate_middle(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width <= 3) return std::string(3, '.').substr(0, width);
  const std::size_t before = (width - 3) / 2;
  return std::string(head(text, before)) + "..." + std::string(tail(text, width - 3 - before));
}

std::vector<std::string> wrap(std::string_view text, std::size_t width, std::size_t max_lines) {
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < max_lines) {
    if (display_width(text) <= width) {
      lines.emplace_back(text);
      break;
    }
    if (lines.size() + 1 == max_lines) {
      lines.push_back(truncate(text, width));
      break;
    }
    const std::size_t fits = head(text, width).size();
    std::size_t cut = fits;
    while (cut > 0 && !may_break_at(text, cut)) --cut;
    if (cut == 0) cut = fits;
    lines.emplace_back(text.substr(0, cut));
    text.remove_prefix(cut);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
  return lines;
}

std::string pad(std::string_view text, std::size_t width, bool right_aligned) {
  const std::size_t columns = display_width(text);
  const std::string blanks(columns < width ? width - columns : 0, ' ');
  return right_aligned ? blanks + std::string(text) : std::string(text) + blanks;
}

std::string format_seconds(double seconds) {
  if (seconds >= 1e8) return fmt::format("{:.0e} s", seconds);
  if (seconds >= 359999.5) return fmt::format("{:.0f} h", seconds / 3600);
  if (seconds >= 3599.5) {
    const auto minutes = static_cast<long long>(std::llround(seconds / 60));
    return fmt::format("{}h{:02}m", minutes / 60, minutes % 60);
  }
  if (seconds >= 0.9995) return three_digits(seconds) + " s";
  if (seconds >= 0.9995e-3) return three_digits(seconds * 1e3) + " ms";
  if (seconds >= 0.9995e-6) return three_digits(seconds * 1e6) + " us";
  return seconds > 0 ? three_digits(seconds * 1e9) + " ns" : "0 s";
}

std::string format_bytes(double bytes) {
  constexpr std::array<const char*, 7> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1023.5) return fmt::format("{:.0f} B", bytes);
  std::size_t unit = 0;
  while (bytes >= 1023.5 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return three_digits(bytes) + " " + kUnits[unit];
}

std::string format_count(std::uint64_t count) {
  if (count < 100000) return fmt::format("{}", count);
  constexpr std::array<const char*, 6> kUnits{"k", "M", "G", "T", "P", "E"};
  double value = static_cast<double>(count) / 1e3;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1e3;
    ++unit;
  }
  return three_digits(value) + " " + kUnits[unit];
}

std::string format_percent(double fraction) {
  const double percent = fraction * 100;
  if (percent >= 999.5) return ">999 %";
  if (percent > 0 && percent < 0.1) return "<0.1 %";
  if (percent > 0 && percent < 9.95) return fmt::format("{:.1f} %", percent);
  // Print 100 % only for exactly 1.
  if (percent < 100 && percent >= 99.5) return fmt::format("{:.1f} %", std::min(percent, 99.9));
  return fmt::format("{:.0f} %", percent);
}

}  // namespace plait
