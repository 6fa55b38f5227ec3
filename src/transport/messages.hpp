// SPDX-License-Identifier: BSD-3-Clause
// Messages of any size, in fragments: the protocol of Open MPI 1.2.3 (Henriksen 2008, 4.2.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "transport/queues.hpp"
#include "transport/wait.hpp"

namespace plait::transport {

/// A message that arrives.
struct Arrival {
  uint32_t from;
  uint64_t tag;
  uint64_t bytes;
};

/// What a program does with messages that arrive.
class Receiver {
public:
  virtual ~Receiver() = default;

  /// A message begins. @return where its data go, which must have room for them
  virtual std::byte* begin(const Arrival& arrival) = 0;

  /// A message is complete.
  virtual void end(const Arrival& arrival, std::byte* data) = 0;
};

/// A message to send. It and its data must stay until it is done.
struct Send {
  uint32_t to = 0;
  uint64_t tag = 0;
  const void* data = nullptr;
  uint64_t bytes = 0;

  bool done = false;  ///< the data may be changed

  // For Messages.
  uint64_t sent = 0;
  uint32_t message = 0;
};

/// Sends and receives messages through the queues of one member. Messages from one sender begin at
/// the receiver in the order in which they were sent. Of those of more than kEagerBytes, only the
/// first fragment is sent until the receiver answers.
class Messages {
public:
  Messages(Queues& queues, Receiver& receiver, const WaitPolicy& policy)
      : queues_(queues), receiver_(receiver), waiter_(queues, policy) {}

  void send(Send& send);

  /// Takes fragments that have arrived, and continues sends. @return false if there was nothing
  bool progress();

  /// Makes progress until `done` returns true, and waits in between.
  /// @return false if a process is dead
  template <class Done>
  bool run_until(Done done) {
    while (!done()) {
      if (!progress() && waiter_.wait(!needs_memory()) == Waited::failed) return false;
    }
    return true;
  }

  [[nodiscard]] const Waiter& waiter() const noexcept { return waiter_; }

private:
  /// A message in fragments that arrives.
  struct Incoming {
    Arrival arrival;
    uint32_t message;
    std::byte* data;
    uint64_t received;
  };

  /// True if something waits for memory that receivers will release.
  [[nodiscard]] bool needs_memory() const noexcept {
    return !to_begin_.empty() || !to_continue_.empty() || !answers_.empty();
  }

  bool take_one();
  void take_whole(const Fragment& fragment);
  void take_first(const Fragment& fragment);
  void take_more(const Fragment& fragment);
  void take_go(const Header& header);
  bool begin(Send& send);
  bool continue_sends();
  bool answer();

  struct Answer {
    uint32_t to, message;
  };

  Queues& queues_;
  Receiver& receiver_;
  Waiter waiter_;
  uint32_t next_message_ = 0;
  std::deque<Send*> to_begin_;     ///< in their order
  std::vector<Send*> begun_;       ///< wait for the receiver's answer
  std::deque<Send*> to_continue_;  ///< the receiver has answered
  std::deque<Answer> answers_;     ///< that wait for memory
  std::vector<Incoming> incoming_;
};

}  // namespace plait::transport
