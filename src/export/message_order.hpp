// SPDX-License-Identifier: BSD-3-Clause
// The order of the messages of a trace, also where processes have parts of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/processes.hpp"
#include "trace/trace.hpp"

namespace plait::exports {

/// Numbers the messages of all processes as Trace::messages of the whole trace does, and divides
/// them among the processes: each has the next ones.
class MessageOrder {
public:
  /// Collective if the trace is a part.
  /// @param trace  must outlive this object
  MessageOrder(const trace::Trace& trace, Processes* processes);

  /// @param message  index into Trace::messages
  /// @returns its number among those of all processes
  [[nodiscard]] std::uint32_t number(std::size_t message) const {
    return trace_.is_part ? numbers_[message] : static_cast<std::uint32_t>(message);
  }
  /// All numbers, by message; empty if the trace is whole.
  [[nodiscard]] const std::vector<std::uint32_t>& numbers() const { return numbers_; }
  /// The number of messages that this process has in their order.
  [[nodiscard]] std::size_t size() const {
    return trace_.is_part ? own_.size() : trace_.messages.size();
  }
  /// @returns one of them: index into Trace::messages
  [[nodiscard]] std::size_t operator[](std::size_t place) const {
    return trace_.is_part ? own_[place] : place;
  }

private:
  void list_own();

  const trace::Trace& trace_;
  std::vector<std::uint32_t> own_;      ///< of a part, in the order
  std::vector<std::uint32_t> numbers_;  ///< of a part, by message
};

}  // namespace plait::exports
