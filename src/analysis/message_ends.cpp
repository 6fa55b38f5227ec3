// SPDX-License-Identifier: BSD-3-Clause
// Finds the two ends of messages.
#include "analysis/message_ends.hpp"

namespace plait::analysis {

using trace::kNone;

MessageEnds::MessageEnds(const trace::Trace& trace, const Lanes& lanes, Processes* processes)
    : trace_(trace), lanes_(lanes) {
  if (!trace.is_part) return;
  far_ = trace::swap_ends(trace, *processes, [&](const trace::Message& message) {
    return trace.has(message.sender) ? own_end(message.sender, message.send)
                                     : own_end(message.receiver, message.receive);
  });
}

Arrival MessageEnds::arrival_of(std::uint32_t rank, std::uint32_t operation) const {
  const Lanes::Place place = lanes_.start_of(rank, trace_.ranks[rank].operations[operation]);
  if (place.lane == kNone) return {};
  return {lanes_.all[place.lane].calls[place.call].begin, place.lane, place.call};
}

MessageEnd MessageEnds::own_end(std::uint32_t rank, std::uint32_t operation) const {
  const trace::Rank& of = trace_.ranks[rank];
  const trace::Operation& at = of.operations[operation];
  const trace::Event& start = of.streams[at.stream].events[at.started];
  MessageEnd end{arrival_of(rank, operation), start.begin, start.end, MessageEnd::kNotYet,
                 at.bytes};
  if (at.ended != kNone) end.completed_at = of.streams[at.end_stream].events[at.ended].begin;
  return end;
}

}  // namespace plait::analysis
