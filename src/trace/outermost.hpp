// SPDX-License-Identifier: BSD-3-Clause
// The outermost parts of a thread in OpenMP regions.
#pragma once

#include <cstdint>

#include "trace/trace.hpp"

namespace plait::trace {

/// A parallel region, or a thread's part in one.
struct OpenMpPart {
  std::int64_t begin = 0, end = 0, idle = 0;  ///< ns
};

/// Calls `use(part)` for the outermost parts of this kind, last one first. Nested regions count
/// with the one around them. Works backwards because parts follow what they contain.
template <class Use>
void for_outermost(const Trace& trace, const Stream& stream, EventKind kind, Use use) {
  std::int64_t covered_from = INT64_MAX;
  for (std::size_t i = stream.events.size(); i-- > 0;) {
    const Event& event = stream.events[i];
    if (trace.shape(event).kind != kind || event.end > covered_from) continue;
    covered_from = event.begin;
    use(OpenMpPart{event.begin, event.end, static_cast<std::int64_t>(event.bytes)});
  }
}

}  // namespace plait::trace
