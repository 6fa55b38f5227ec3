// SPDX-License-Identifier: BSD-3-Clause
// The parts of a trace that processes have which share its analysis.
#pragma once

#include <cstddef>

#include "base/processes.hpp"
#include "trace/trace.hpp"

namespace plait::trace {

/// Collective.
/// @returns the part of a process, matched together with those of the others
inline Trace part_of(const Trace& whole, Processes& processes) {
  Trace part = whole;
  share_ranks(part, processes);
  part.is_part = true;
  for (std::size_t rank = 0; rank < part.ranks.size(); ++rank) {
    if (part.has(rank)) continue;
    part.ranks[rank].operations = {};
    part.ranks[rank].ended = {};
    for (Stream& stream : part.ranks[rank].streams) {
      part.events_elsewhere += stream.events.size();
      stream.events = {};
      stream.cpu_waits = {};
    }
  }
  match(part, 2, &processes);
  return part;
}

}  // namespace plait::trace
