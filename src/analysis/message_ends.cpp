// SPDX-License-Identifier: BSD-3-Clause
// Gets the ends of messages that are on ranks of other processes.
#include "analysis/message_ends.hpp"

#include "trace/swap_ends.hpp"

namespace plait::analysis {

MessageEnds::MessageEnds(const trace::Trace& trace, const Lanes& lanes, Processes* processes)
    : trace_(trace), lanes_(lanes) {
  if (!trace.is_part) return;
  far_ = trace::swap_ends(trace, *processes, [&](const trace::Message& message) {
    const bool sends = trace.has(message.sender);
    const std::uint32_t rank = sends ? message.sender : message.receiver;
    const std::uint32_t operation = sends ? message.send : message.receive;
    return FarEnd{arrival_of(rank, operation), own_end(rank, operation)};
  });
}

}  // namespace plait::analysis
