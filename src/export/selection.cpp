// SPDX-License-Identifier: BSD-3-Clause
// Parses lists of ranks.
#include "export/selection.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "plait/error.hpp"

namespace plait::exports {
namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& reason) {
  throw Error("--ranks " + text, reason, "list ranks and ranges, for example 0-3,8");
}

std::size_t number(std::string_view part, const std::string& whole) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (part.empty() || error != std::errc() || end != part.data() + part.size()) {
    refuse(whole, fmt::format("\"{}\" is not a rank", part));
  }
  return value;
}

}  // namespace

std::vector<bool> parse_ranks(const std::string& text, std::size_t count) {
  std::vector<bool> ranks(count, false);
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const std::size_t dash = part.find('-');
    const std::size_t first = number(part.substr(0, dash), text);
    const std::size_t last =
        dash == std::string_view::npos ? first : number(part.substr(dash + 1), text);
    if (last < first) refuse(text, fmt::format("\"{}\" ends before it begins", part));
    if (last >= count) {
      refuse(text, fmt::format("no rank {}: the trace has {} ranks", last, count));
    }
    for (std::size_t rank = first; rank <= last; ++rank) ranks[rank] = true;
    if (comma == std::string_view::npos) return ranks;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace plait::exports
