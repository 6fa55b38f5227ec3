// SPDX-License-Identifier: BSD-3-Clause
// Lists of ranks such as "0-31,%64": which ranks keep a trace. Without libraries, for the preload.
#pragma once

#include <cstddef>

namespace plait::trace {

/// The longest list, characters.
inline constexpr std::size_t kLongestRankSelection = 511;

inline constexpr int kMostRank = 999'999'999;

/// One part of a list: the ranks first, first + stride, ... up to last.
struct RankSpan {
  int first = 0, last = 0, stride = 1;
  bool open = false;  ///< "%64": as many as there are; `last` is not named
};

namespace selection {

/// Reads a number of at most nine digits.
/// @returns the text behind it; null: there is none
constexpr const char* read_number(const char* text, int& number) {
  number = 0;
  int digits = 0;
  for (; *text >= '0' && *text <= '9'; ++text) {
    if (++digits > 9) return nullptr;
    number = 10 * number + (*text - '0');
  }
  return digits > 0 ? text : nullptr;
}

}  // namespace selection

/// Reads a rank ("3"), a range ("0-31") or a stride ("%64": ranks 0, 64, 128, ...).
/// @returns the text behind it; null: it is none of them
constexpr const char* read_rank_span(const char* text, RankSpan& span) {
  if (*text == '%') {
    span = {0, kMostRank, 1, true};
    text = selection::read_number(text + 1, span.stride);
    return span.stride > 0 ? text : nullptr;
  }
  span = {};
  text = selection::read_number(text, span.first);
  span.last = span.first;
  if (text == nullptr || *text != '-') return text;
  text = selection::read_number(text + 1, span.last);
  return span.last >= span.first ? text : nullptr;
}

/// Calls `use(span)` for each part of a list.
/// @returns false when it is not a list, or longer than kLongestRankSelection
template <class Use>
constexpr bool for_rank_spans(const char* text, Use use) {
  const char* const begin = text;
  for (;;) {
    RankSpan span;
    text = read_rank_span(text, span);
    if (text == nullptr) return false;
    use(span);
    if (*text == '\0') break;
    if (*text++ != ',') return false;
  }
  return static_cast<std::size_t>(text - begin) <= kLongestRankSelection;
}

/// True if the text is a list of ranks.
constexpr bool is_rank_selection(const char* text) {
  return for_rank_spans(text, [](const RankSpan&) {});
}

/// True if a list contains a rank.
constexpr bool selects_rank(const char* text, int rank) {
  bool selected = false;
  for_rank_spans(text, [&](const RankSpan& span) {
    selected = selected ||
               (rank >= span.first && rank <= span.last && (rank - span.first) % span.stride == 0);
  });
  return selected;
}

/// The largest rank that a list names; -1: it only has strides.
constexpr int largest_named_rank(const char* text) {
  int largest = -1;
  for_rank_spans(text, [&](const RankSpan& span) {
    if (!span.open && span.last > largest) largest = span.last;
  });
  return largest;
}

}  // namespace plait::trace
