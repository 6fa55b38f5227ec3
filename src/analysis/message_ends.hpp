// SPDX-License-Identifier: BSD-3-Clause
// What the analysis needs to know about the two ends of messages, wherever their ranks are.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/lanes.hpp"
#include "base/processes.hpp"
#include "trace/trace.hpp"

namespace plait::analysis {

/// The arrival of a rank at a communication.
struct Arrival {
  std::int64_t time = 0;  ///< ns; begin of the call
  std::uint32_t lane = trace::kNone, call = trace::kNone;
};

/// The send or the receive of a message.
struct MessageEnd {
  std::int64_t begin = 0, end = 0;      ///< of the event that started it, ns
  std::int64_t completed_at = kNotYet;  ///< begin of the event that completed it, ns
  std::uint64_t bytes = 0;              ///< see trace::Operation

  static constexpr std::int64_t kNotYet = INT64_MIN;
};

/// The ends of all messages in Trace::messages.
class MessageEnds {
public:
  /// @param processes  that have the other parts of the trace; may be null if it is whole.
  ///                   Collective among them.
  MessageEnds(const trace::Trace& trace, const Lanes& lanes, Processes* processes = nullptr);

  /// @param message  index into Trace::messages
  [[nodiscard]] MessageEnd sender(std::uint32_t message) const {
    const trace::Message& of = trace_.messages[message];
    return trace_.has(of.sender) ? own_end(of.sender, of.send) : far_end(message).end;
  }
  [[nodiscard]] MessageEnd receiver(std::uint32_t message) const {
    const trace::Message& of = trace_.messages[message];
    return trace_.has(of.receiver) ? own_end(of.receiver, of.receive) : far_end(message).end;
  }
  [[nodiscard]] Arrival arrival_of_sender(std::uint32_t message) const {
    const trace::Message& of = trace_.messages[message];
    return trace_.has(of.sender) ? arrival_of(of.sender, of.send) : far_end(message).arrival;
  }
  [[nodiscard]] Arrival arrival_of_receiver(std::uint32_t message) const {
    const trace::Message& of = trace_.messages[message];
    return trace_.has(of.receiver) ? arrival_of(of.receiver, of.receive) : far_end(message).arrival;
  }
  /// The lane of Arrival.
  [[nodiscard]] std::uint32_t lane_of_receiver(std::uint32_t message) const {
    const trace::Message& of = trace_.messages[message];
    return trace_.has(of.receiver) ? place_of(of.receiver, of.receive).lane
                                   : far_end(message).arrival.lane;
  }
  /// The arrival at an operation of an own rank.
  [[nodiscard]] Arrival arrival_of(std::uint32_t rank, std::uint32_t operation) const {
    const Lanes::Place place = place_of(rank, operation);
    if (place.lane == trace::kNone) return {};
    return {lanes_.all[place.lane].calls[place.call].begin, place.lane, place.call};
  }

private:
  /// An end on a rank of another process.
  struct FarEnd {
    Arrival arrival;
    MessageEnd end;
  };

  [[nodiscard]] Lanes::Place place_of(std::uint32_t rank, std::uint32_t operation) const {
    return lanes_.start_of(rank, trace_.ranks[rank].operations[operation]);
  }
  [[nodiscard]] MessageEnd own_end(std::uint32_t rank, std::uint32_t operation) const {
    const trace::Rank& of = trace_.ranks[rank];
    const trace::Operation& at = of.operations[operation];
    const trace::Event& start = of.streams[at.stream].events[at.started];
    MessageEnd end{start.begin, start.end, MessageEnd::kNotYet, at.bytes};
    if (at.ended != trace::kNone) {
      end.completed_at = of.streams[at.end_stream].events[at.ended].begin;
    }
    return end;
  }
  [[nodiscard]] const FarEnd& far_end(std::uint32_t message) const {
    return far_[message - trace_.messages_with.front().first];
  }

  const trace::Trace& trace_;
  const Lanes& lanes_;
  std::vector<FarEnd> far_;  ///< from the first message with another process on
};

}  // namespace plait::analysis
