// SPDX-License-Identifier: BSD-3-Clause
// Tells the processes at the other ends of messages about the own ends.
#pragma once

#include <cstddef>
#include <vector>

#include "base/combine.hpp"
#include "base/processes.hpp"
#include "trace/trace.hpp"

namespace plait::trace {

/// Collective.
/// @param trace    a part
/// @param own_end  own_end(message): a plain value for the own end of one of Trace::messages, whose
///                 other end is on a rank of another process
/// @returns what the others tell, from the first message of Trace::messages_with on
template <class OwnEnd>
auto swap_ends(const Trace& trace, Processes& processes, OwnEnd own_end) {
  std::vector<std::vector<decltype(own_end(trace.messages.front()))>> to;
  for (const IndexRange& with : trace.messages_with) {
    auto& values = to.emplace_back();
    values.reserve(with.last - with.first);
    for (std::size_t i = with.first; i < with.last; ++i) {
      values.push_back(own_end(trace.messages[i]));
    }
  }
  return joined(swap_lists(processes, to));
}

}  // namespace plait::trace
