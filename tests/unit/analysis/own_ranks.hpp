// SPDX-License-Identifier: BSD-3-Clause
// What a process of a shared analysis knows: everything of its own ranks, little of the others.
#pragma once

#include <cstddef>

#include "analysis/wait_states.hpp"
#include "base/processes.hpp"

namespace plait::analysis::test {

/// The trace, lanes and waits of all ranks, without the data of those that are another process's.
struct OwnRanks {
  /// Collective.
  OwnRanks(const trace::Trace& all, Processes& processes) : trace(all) {
    share_ranks(trace, processes);
    lanes = make_lanes(trace, 1);
    waits = find_waits(trace, lanes, 1, &processes);
    waits.collectives = nullptr;
    waits.messages = nullptr;
    forget_ranks();
    forget_lanes();
  }

  trace::Trace trace;
  Lanes lanes;
  Waits waits;

private:
  static bool contains(const IndexRange& range, std::size_t index) {
    return range.first <= index && index < range.last;
  }
  void forget_ranks() {
    for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
      if (contains(trace.own_ranks(), i)) continue;
      trace::Rank& rank = trace.ranks[i];
      rank.operations = {};
      rank.ended = {};
      rank.epochs = {};
      for (trace::Stream& stream : rank.streams) {
        stream.events = {};
        stream.cpu_waits = {};
      }
    }
  }
  void forget_lanes() {
    for (std::size_t i = 0; i < lanes.all.size(); ++i) {
      if (contains(lanes.own, i)) continue;
      Lane& lane = lanes.all[i];
      lane.calls = {};
      lane.segments = {};
      lane.calls_of_events = {};
      lane.first_event = lane.event_calls = 0;
      waits.of[i] = {};
      waits.sums[i] = {};
    }
  }
};

}  // namespace plait::analysis::test
