// SPDX-License-Identifier: BSD-3-Clause
// Text for a terminal: display width, and shortening to a width.
#include "text/terminal.hpp"

#include <array>

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

/// The length of the escape sequence of a colour at the start of a text; 0 when there is none.
std::size_t color_bytes(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

struct Piece {
  std::size_t bytes;
  std::size_t columns;
};

/// The character or the colour at the start of a non-empty text.
Piece piece_at(std::string_view text) {
  const std::size_t color = color_bytes(text);
  if (color > 0) return {color, 0};
  const Character one = decode(text);
  return {one.bytes, width_of(one)};
}

/// The longest end of a text that takes at most `width` columns.
std::string_view tail(std::string_view text, std::size_t width) {
  std::size_t columns = display_width(text);
  std::size_t at = 0;
  while (at < text.size() && columns > width) {
    const Piece piece = piece_at(text.substr(at));
    columns -= piece.columns;
    at += piece.bytes;
  }
  return text.substr(at);
}

/// A list shortened to its first parts and the last one.
std::string abridged(std::string_view list, std::size_t width, char separator) {
  if (display_width(list) <= width) return std::string(list);
  const std::string between(1, separator);
  const std::string omitted = between + "..." + between;
  const std::string last = omitted + std::string(list.substr(list.rfind(separator) + 1));
  std::size_t kept = 0;
  for (std::size_t at = list.find(separator); at != std::string_view::npos;
       at = list.find(separator, at + 1)) {
    if (display_width(list.substr(0, at)) + display_width(last) > width) break;
    kept = at;
  }
  return kept > 0 ? std::string(list.substr(0, kept)) + last : truncate(list, width);
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Piece piece = piece_at(text);
    columns += piece.columns;
    text.remove_prefix(piece.bytes);
  }
  return columns;
}

std::string_view start_of(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  std::size_t columns = 0;
  while (at < text.size()) {
    const Piece piece = piece_at(text.substr(at));
    if (columns + piece.columns > width) break;
    columns += piece.columns;
    at += piece.bytes;
  }
  return text.substr(0, at);
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
  return std::string(start_of(text, width - 3)) + "...";
}

std::string truncate_middle(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width <= 3) return std::string(3, '.').substr(0, width);
  const std::size_t before = (width - 3) / 2;
  return std::string(start_of(text, before)) + "..." + std::string(tail(text, width - 3 - before));
}

std::string pad(std::string_view text, std::size_t width, bool right_aligned) {
  const std::size_t columns = display_width(text);
  const std::string blanks(columns < width ? width - columns : 0, ' ');
  return right_aligned ? blanks + std::string(text) : std::string(text) + blanks;
}

std::string abridge(std::string_view list, std::size_t width) {
  return abridged(list, width, ' ');
}

std::string abridge_commas(std::string_view list, std::size_t width) {
  return abridged(list, width, ',');
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace plait
