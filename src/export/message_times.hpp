// SPDX-License-Identifier: BSD-3-Clause
// Times of messages, and members of collectives.
#pragma once

#include <cstdint>

#include "export/selection.hpp"
#include "trace/trace.hpp"

namespace plait::exports {

struct MessageTimes {
  std::uint32_t sender = 0, receiver = 0;  ///< ranks
  std::uint64_t bytes = 0;
  int tag = 0;
  std::uint32_t comm = trace::kNone;
  std::int64_t send_ns = 0;      ///< begin of the call that started the send
  std::int64_t sent_ns = 0;      ///< end of the call that completed it; -1: not recorded
  std::int64_t receive_ns = 0;   ///< begin of the call that posted the receive
  std::int64_t received_ns = 0;  ///< end of the call that completed it; -1: not recorded
};

/// End of an operation, ns; -1: not recorded.
inline std::int64_t end_of(const trace::Rank& rank, const trace::Operation& of) {
  return of.ended == trace::kNone ? -1 : rank.streams[of.end_stream].events[of.ended].end;
}

inline MessageTimes message_times(const trace::Trace& trace, const trace::Message& message) {
  const trace::Operation& send = trace.ranks[message.sender].operations[message.send];
  const trace::Operation& receive = trace.ranks[message.receiver].operations[message.receive];
  MessageTimes times;
  times.sender = message.sender;
  times.receiver = message.receiver;
  times.bytes = send.bytes;
  times.tag = send.tag;
  times.comm = trace.shapes[send.shape].comm;
  times.send_ns = trace.start(message.sender, send).begin;
  times.sent_ns = end_of(trace.ranks[message.sender], send);
  times.receive_ns = trace.start(message.receiver, receive).begin;
  times.received_ns = end_of(trace.ranks[message.receiver], receive);
  return times;
}

/// True if both ranks are selected and the message was in transit in the window.
inline bool selected(const Selection& selection, const MessageTimes& times) {
  return selection.has_rank(times.sender) && selection.has_rank(times.receiver) &&
         times.send_ns <= selection.until_ns &&
         (times.received_ns < 0 || times.received_ns >= selection.from_ns);
}

/// Calls `use(rank, operation)` for the recorded members of a collective that are selected.
template <class Use>
void for_members(const trace::Trace& trace, const trace::Collective& collective,
                 const Selection& selection, Use use) {
  const trace::Comm& comm = trace.comms[collective.comm];
  std::size_t member = collective.first_member;
  for (const auto* group : {&comm.members, &comm.remote_members}) {
    for (const int world_rank : *group) {
      const std::uint32_t number = trace.members[member++];
      const auto rank = static_cast<std::uint32_t>(world_rank);
      if (number == trace::kNone || !selection.has_rank(rank)) continue;
      const trace::Operation& operation = trace.ranks[rank].operations[number];
      if (selection.has(trace.start(rank, operation))) use(rank, operation);
    }
  }
}

}  // namespace plait::exports
