// SPDX-License-Identifier: BSD-3-Clause
// Walks the events of a thread as properly nested begins and ends in the order of time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "export/selection.hpp"
#include "trace/trace.hpp"

namespace plait::exports {

/// Calls enter(index) and leave(index, end_ns) for the selected events of a thread, in order and
/// nested. An event that ends after the enclosing one (by rounding) is cut to its end.
template <class Enter, class Leave>
void walk_nested(const trace::Stream& stream, const Selection& selection, Enter enter,
                 Leave leave) {
  std::vector<std::uint32_t> order;
  order.reserve(stream.events.size());
  for (std::uint32_t index = 0; index < stream.events.size(); ++index) {
    if (selection.has(stream.events[index])) order.push_back(index);
  }
  // Events that contain others are stored after them.
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const trace::Event &one = stream.events[a], &other = stream.events[b];
    if (one.begin != other.begin) return one.begin < other.begin;
    return one.end != other.end ? one.end > other.end : one.begin != one.end ? a > b : a < b;
  });
  std::vector<std::pair<std::uint32_t, std::int64_t>> open;  // with their ends
  for (const std::uint32_t index : order) {
    const trace::Event& event = stream.events[index];
    while (!open.empty() && open.back().second <= event.begin) {
      leave(open.back().first, open.back().second);
      open.pop_back();
    }
    const std::int64_t end = open.empty() ? event.end : std::min(event.end, open.back().second);
    enter(index);
    open.emplace_back(index, end);
  }
  for (; !open.empty(); open.pop_back()) leave(open.back().first, open.back().second);
}

}  // namespace plait::exports
