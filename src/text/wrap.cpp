// SPDX-License-Identifier: BSD-3-Clause
// Breaks long texts into lines: sentences, texts beside a label, commands.
#include "text/wrap.hpp"

#include <algorithm>

#include "text/units.hpp"

namespace plait {
namespace {

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

/// True if a line may end before the blank at `at`, which is not between a number and its unit.
bool may_break_at(std::string_view text, std::size_t at) {
  if (text[at] != ' ') return false;
  if (at == 0 || !is_digit(text[at - 1])) return true;
  const std::string_view rest = text.substr(at + 1);
  return !is_unit(rest.substr(0, rest.find_first_of(" ,;:.)")));
}

/// The length of the first line of a text that is too wide for one.
std::size_t first_line_of(std::string_view text, std::size_t width, TooWide wide) {
  const std::size_t fits = start_of(text, width).size();
  std::size_t cut = fits;
  while (cut > 0 && !may_break_at(text, cut)) --cut;
  if (cut > 0) return cut;
  const std::size_t blank = std::min(text.find(' '), text.size());
  if (blank <= fits || wide == TooWide::whole) return blank;
  return std::max(fits, start_of(text, 2).size());  // at least one character
}

/// One line that ends with "...", after a whole word if there is one.
std::string last_line_of(std::string_view text, std::size_t width) {
  constexpr std::size_t kMark = 4;
  if (display_width(text) + kMark <= width) return std::string(text) + " ...";
  const std::size_t fits = start_of(text, width - std::min(width, kMark)).size();
  std::size_t cut = fits;
  while (cut > 0 && !may_break_at(text, cut)) --cut;
  return cut > 0 ? std::string(text.substr(0, cut)) + " ..." : truncate(text, width);
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t width, std::size_t max_lines,
                              TooWide wide) {
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < max_lines) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view paragraph = text.substr(0, end);
    const bool last = lines.size() + 1 == max_lines;
    if (display_width(paragraph) <= width && (!last || end + 1 >= text.size())) {
      lines.push_back(without_trailing_blanks(std::string(paragraph)));
      text.remove_prefix(std::min(end + 1, text.size()));
      continue;
    }
    if (last) {
      lines.push_back(last_line_of(paragraph, width));
      break;
    }
    const std::size_t cut = first_line_of(paragraph, width, wide);
    lines.push_back(without_trailing_blanks(std::string(text.substr(0, cut))));
    text.remove_prefix(cut);
    while (text.starts_with(' ')) text.remove_prefix(1);
    if (text.starts_with('\n')) text.remove_prefix(1);
  }
  return lines;
}

std::vector<std::string> wrap_beside(std::string_view label, std::string_view text,
                                     std::size_t width, std::size_t max_lines, TooWide wide) {
  const std::size_t indent = display_width(label);
  const std::size_t left = width > indent ? width - indent : 1;
  std::vector<std::string> lines = wrap(text, left, max_lines, wide);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i] = (i == 0 ? std::string(label) : std::string(indent, ' ')) + lines[i];
  }
  return lines;
}

std::vector<std::string> wrap_command(std::string_view label,
                                      const std::vector<std::string>& arguments,
                                      std::size_t width) {
  const std::size_t indent = display_width(label);
  std::vector<std::string> lines{std::string(label)};
  bool empty = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::size_t backslash = i + 1 < arguments.size() ? 2 : 0;
    const std::size_t wide =
        display_width(lines.back()) + (empty ? 0 : 1) + display_width(arguments[i]) + backslash;
    if (!empty && wide > width) {
      lines.back() += " \\";
      lines.emplace_back(indent, ' ');
      empty = true;
    }
    lines.back() += (empty ? "" : " ") + arguments[i];
    empty = false;
  }
  return lines;
}

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

}  // namespace plait
