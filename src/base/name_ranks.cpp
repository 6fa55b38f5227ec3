// SPDX-License-Identifier: BSD-3-Clause
// Lists of ranks in messages.
#include "base/name_ranks.hpp"

#include <fmt/format.h>

namespace plait {

std::string name_ranks(const std::vector<int>& ranks) {
  constexpr std::size_t kNamed = 4;
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  std::string text = "ranks ";
  const bool all = ranks.size() <= kNamed;
  const std::size_t named = all ? ranks.size() : kNamed - 1;
  for (std::size_t i = 0; i < named; ++i) {
    if (i > 0) text += all && i + 1 == named ? " and " : ", ";
    text += std::to_string(ranks[i]);
  }
  if (!all) text += fmt::format(" and {} more", ranks.size() - named);
  return text;
}

}  // namespace plait
