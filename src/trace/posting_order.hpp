// SPDX-License-Identifier: BSD-3-Clause
// The order in which a rank posted its operations.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "trace/trace.hpp"

namespace plait::trace {

/// Marks an index into Rank::left_out_operations among the numbers of operations.
inline constexpr std::uint32_t kLeftOut = 1U << 31;

/// Calls `use(number)` for the operations of a rank in the order in which they were posted, those
/// that it left out included.
template <class Use>
void in_posting_order(const Rank& rank, Use use) {
  const auto count = static_cast<std::uint32_t>(rank.operations.size());
  const auto& left_out = rank.left_out_operations;
  const auto later_stream = [](const auto& at) { return at.stream != 0; };
  if (rank.streams.size() <= 1 || (std::ranges::none_of(rank.operations, later_stream) &&
                                   std::ranges::none_of(left_out, later_stream))) {
    std::uint32_t skipped = 0;
    for (std::uint32_t number = 0; number <= count; ++number) {
      for (; skipped < left_out.size() && left_out[skipped].before <= number; ++skipped) {
        use(skipped | kLeftOut);
      }
      if (number < count) use(number);
    }
    return;
  }
  std::vector<std::uint32_t> order(left_out.size() + count);
  const auto operations = order.begin() + static_cast<std::ptrdiff_t>(left_out.size());
  std::iota(order.begin(), operations, kLeftOut);
  std::iota(operations, order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t number) {
    if ((number & kLeftOut) != 0) return left_out[number & ~kLeftOut].at;
    const Operation& at = rank.operations[number];
    return rank.streams[at.stream].events[at.started].begin;
  });
  std::ranges::for_each(order, use);
}

}  // namespace plait::trace
