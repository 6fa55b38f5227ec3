// SPDX-License-Identifier: BSD-3-Clause
// Times of messages, and members of collectives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/processes.hpp"
#include "export/selection.hpp"
#include "trace/swap_ends.hpp"
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

/// Begin and end of a message's send or receive, ns; see MessageTimes.
struct EndTimes {
  std::int64_t begin = 0, end = 0;
};

inline EndTimes end_times(const trace::Trace& trace, std::uint32_t rank, std::uint32_t operation) {
  const trace::Operation& of = trace.ranks[rank].operations[operation];
  return {trace.start(rank, of).begin, end_of(trace.ranks[rank], of)};
}

/// @param of  its send or its receive
inline MessageTimes message_times(const trace::Trace& trace, const trace::Message& message,
                                  const trace::Operation& of, const EndTimes& send,
                                  const EndTimes& receive) {
  return {message.sender, message.receiver, of.bytes,      of.tag,     trace.shapes[of.shape].comm,
          send.begin,     send.end,         receive.begin, receive.end};
}

inline MessageTimes message_times(const trace::Trace& trace, const trace::Message& message) {
  return message_times(trace, message, trace.ranks[message.sender].operations[message.send],
                       end_times(trace, message.sender, message.send),
                       end_times(trace, message.receiver, message.receive));
}

/// The times of all messages in Trace::messages, of which other processes may have one end.
class TimesOfMessages {
public:
  /// Collective if the trace is a part.
  /// @param trace  must outlive this object
  TimesOfMessages(const trace::Trace& trace, Processes* processes) : trace_(trace) {
    if (!trace.is_part) return;
    far_ = trace::swap_ends(trace, *processes, [&](const trace::Message& message) {
      return trace.has(message.sender) ? end_times(trace, message.sender, message.send)
                                       : end_times(trace, message.receiver, message.receive);
    });
    first_far_ = trace.messages.size() - far_.size();
  }

  /// @param number  index into Trace::messages
  [[nodiscard]] MessageTimes operator[](std::size_t number) const {
    const trace::Message& message = trace_.messages[number];
    if (!trace_.is_part || number < first_far_) return message_times(trace_, message);
    const EndTimes& far = far_[number - first_far_];
    if (trace_.has(message.sender)) {
      return message_times(trace_, message, trace_.ranks[message.sender].operations[message.send],
                           end_times(trace_, message.sender, message.send), far);
    }
    return message_times(trace_, message,
                         trace_.ranks[message.receiver].operations[message.receive], far,
                         end_times(trace_, message.receiver, message.receive));
  }

private:
  const trace::Trace& trace_;
  std::vector<EndTimes> far_;  ///< of the ends on ranks of other processes, from a message on
  std::size_t first_far_ = 0;
};

/// True if both ranks are selected and the message was in transit in the window.
inline bool selected(const Selection& selection, const MessageTimes& times) {
  return selection.has_rank(times.sender) && selection.has_rank(times.receiver) &&
         times.send_ns <= selection.until_ns &&
         (times.received_ns < 0 || times.received_ns >= selection.from_ns);
}

/// Calls `use(member, rank, operation)` for the recorded members of a collective that are selected;
/// in a part of a trace, for those of its ranks.
/// @param member  index among Comm::members and Comm::remote_members
template <class Use>
void for_members(const trace::Trace& trace, const trace::Collective& collective,
                 const Selection& selection, Use use) {
  trace.for_members(trace.comms[collective.comm],
                    [&](std::uint32_t member, int of, std::uint32_t place) {
                      const std::uint32_t number = trace.members[collective.first_member + place];
                      const auto rank = static_cast<std::uint32_t>(of);
                      if (number == trace::kNone || !selection.has_rank(rank)) return;
                      const trace::Operation& operation = trace.ranks[rank].operations[number];
                      if (selection.has(trace.start(rank, operation))) use(member, rank, operation);
                    });
}

}  // namespace plait::exports
