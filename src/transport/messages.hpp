// SPDX-License-Identifier: BSD-3-Clause
// Messages of any size, in fragments: the protocol of Open MPI 1.2.3 (Henriksen 2008, 4.2.2), and
// long messages that the receiver reads in the sender's memory.
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
  uint32_t message;  ///< its number, of those from its sender
  uint64_t tag, note;
  uint16_t flags;
  uint64_t bytes;  ///< of the message
  uint32_t here;   ///< bytes that came with its beginning
};

/// Where a message goes.
struct Place {
  std::byte* data = nullptr;
  uint64_t room = 0;     ///< bytes; what is beyond is not stored
  void* item = nullptr;  ///< for the receiver
  /// Only the bytes that are here are stored now. Those of a longer message wait for
  /// Messages::accept().
  bool held = false;
};

struct Send;

/// What a program does with messages that arrive and sends that are done.
class Receiver {
public:
  virtual ~Receiver() = default;

  /// A message begins. @return where its data go
  virtual Place begin(const Arrival& arrival) = 0;

  /// A message that is not held, or was accepted, is complete.
  /// @param item  of its place
  virtual void end(const Arrival& arrival, void* item) = 0;

  /// A send that was not done when send() returned is done.
  virtual void sent(Send& send) { static_cast<void>(send); }
};

/// A message to send. It and its data must stay until it is done.
struct Send {
  uint32_t to = 0;
  uint64_t tag = 0;
  const void* data = nullptr;
  uint64_t bytes = 0;
  uint64_t note = 0;
  uint16_t flags = 0;

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
  /// Shorter messages are copied twice, longer ones once, which takes a system call.
  static constexpr uint64_t kOfferBytes = 64 * 1024;

  /// @param offer_bytes  of messages that the receiver may read in this process' memory; by default
  ///                     none are
  Messages(Queues& queues, Receiver& receiver, const WaitPolicy& policy,
           uint64_t offer_bytes = UINT64_MAX)
      : queues_(queues),
        receiver_(receiver),
        waiter_(queues, policy),
        offer_bytes_(offer_bytes),
        refuses_offers_(queues.node().members()) {}

  void send(Send& send);

  /// Sends a message of at most kEagerBytes if that can be done at once. Receiver::sent() is not
  /// called. @return false if nothing was done
  [[nodiscard]] bool send_now(Send& send) {
    return send.bytes <= kEagerBytes && to_begin_.empty() && begin(send);
  }

  /// Takes fragments that have arrived, and continues sends. @return false if there was nothing
  /// @param most  fragments, so that sends go on while many arrive
  bool progress(int most = 16);

  /// Stores a message that was held.
  void accept(const Arrival& arrival, const Place& place);

  /// Makes progress until `done` returns true, and waits in between.
  /// @return false if a process is dead
  template <class Done>
  bool run_until(Done done) {
    while (!done()) {
      if (!progress() && waiter_.wait(!needs_memory()) == Waited::failed) return false;
    }
    return true;
  }

  /// True if something waits for memory that receivers will release.
  [[nodiscard]] bool needs_memory() const noexcept {
    return !to_begin_.empty() || !to_continue_.empty() || !answers_.empty();
  }

  /// True if a send is not done.
  [[nodiscard]] bool sends() const noexcept { return needs_memory() || !begun_.empty(); }

  [[nodiscard]] Queues& queues() const noexcept { return queues_; }
  [[nodiscard]] Waiter& waiter() noexcept { return waiter_; }
  [[nodiscard]] const Waiter& waiter() const noexcept { return waiter_; }

  /// Messages that were read in their sender's memory.
  [[nodiscard]] uint64_t pulled() const noexcept { return pulled_; }

private:
  /// A message in fragments that arrives.
  struct Incoming {
    Arrival arrival;
    Place place;
    uint64_t received;
  };

  /// Flags of `go`, in the place of those of the program.
  static constexpr uint16_t kNoOffers = 1;  ///< offers cannot be read

  bool take_one();
  void take_whole(const Fragment& fragment);
  void take_first(const Fragment& fragment);
  void take_more(const Fragment& fragment);
  void take_answer(const Header& header);
  bool begin(Send& send);
  bool continue_sends();
  bool answer();
  bool pull(const Arrival& arrival, const Place& place, const void* source);
  void finish(Send& send);

  struct Answer {
    uint32_t to, message;
    Kind kind;
    uint16_t flags;
    uint64_t note;
  };

  /// A message that the program has held, and where it is in the sender's memory.
  struct Offer {
    uint32_t from, message;
    const void* source;
  };

  Queues& queues_;
  Receiver& receiver_;
  Waiter waiter_;
  const uint64_t offer_bytes_;
  uint32_t next_message_ = 0;
  std::deque<Send*> to_begin_;     ///< in their order
  std::vector<Send*> begun_;       ///< wait for the receiver's answer
  std::deque<Send*> to_continue_;  ///< the receiver has answered
  std::deque<Answer> answers_;     ///< that wait for memory
  std::vector<Incoming> incoming_;
  std::vector<Offer> held_offers_;
  std::vector<bool> refuses_offers_;  ///< members
  uint64_t pulled_ = 0;
};

}  // namespace plait::transport
