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
  Arrival arrival;                      ///< of the call that started it; no lane: it is in none
  std::int64_t begin = 0, end = 0;      ///< of the event that started it, ns
  std::int64_t completed_at = kNotYet;  ///< begin of the event that completed it, ns
  std::uint64_t bytes = 0;              ///< see trace::Operation

  static constexpr std::int64_t kNotYet = INT64_MIN;
};

/// The ends of all messages in Trace::messages.
class MessageEnds {
public:
  MessageEnds(const trace::Trace& trace, const Lanes& lanes) : trace_(trace), lanes_(lanes) {}

  /// @param message  index into Trace::messages
  [[nodiscard]] MessageEnd sender(std::uint32_t message) const {
    const trace::Message& of = trace_.messages[message];
    return end_of(of.sender, of.send);
  }
  [[nodiscard]] MessageEnd receiver(std::uint32_t message) const {
    const trace::Message& of = trace_.messages[message];
    return end_of(of.receiver, of.receive);
  }
  [[nodiscard]] Arrival arrival_of_sender(std::uint32_t message) const {
    const trace::Message& of = trace_.messages[message];
    return arrival_of(of.sender, of.send);
  }
  [[nodiscard]] Arrival arrival_of_receiver(std::uint32_t message) const {
    const trace::Message& of = trace_.messages[message];
    return arrival_of(of.receiver, of.receive);
  }

private:
  [[nodiscard]] Arrival arrival_of(std::uint32_t rank, std::uint32_t operation) const;
  [[nodiscard]] MessageEnd end_of(std::uint32_t rank, std::uint32_t operation) const;

  const trace::Trace& trace_;
  const Lanes& lanes_;
};

}  // namespace plait::analysis
