// SPDX-License-Identifier: BSD-3-Clause
// Messages of any size, in fragments: the protocol of Open MPI 1.2.3 (Henriksen 2008, 4.2.2), and
// long messages, which the receiver reads in the sender's memory or takes from a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "transport/queues.hpp"
#include "transport/stream.hpp"
#include "transport/wait.hpp"
#include "transport/ways.hpp"

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

  /// A message begins. If this throws, it begins once more in the next call of progress().
  /// @return where its data go
  virtual Place begin(const Arrival& arrival) = 0;

  /// A message that is not held, or was accepted, is complete. Must not throw.
  /// @param item  of its place
  virtual void end(const Arrival& arrival, void* item) = 0;

  /// A send that was not done when send() returned is done. Must not throw.
  virtual void sent(Send& send) { static_cast<void>(send); }
};

/// Flag of a send that is done only when the receiver has the message: in the memory of a receive
/// that waits for it, or kept for a later one.
inline constexpr uint16_t kAsksReceipt = 0x8000;

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
  uint64_t stream = 0;  ///< offset of the one that it may use; 0: none
};

/// Sends and receives messages through the queues of one member. Messages from one sender begin at
/// the receiver in the order in which they were sent. Of those of more than kEagerBytes, only the
/// first fragment is sent until the receiver answers.
class Messages {
public:
  /// Shorter messages are sent in fragments without being offered.
  static constexpr uint64_t kOfferBytes = 64 * 1024;

  /// @param offer_bytes  of messages that the receiver may read in this process' memory, or take
  ///                     from a stream; by default none are
  Messages(Queues& queues, Receiver& receiver, const WaitPolicy& policy,
           uint64_t offer_bytes = UINT64_MAX)
      : queues_(queues),
        receiver_(receiver),
        waiter_(queues, policy),
        offer_bytes_(offer_bytes),
        streams_(policy.alone ? kStreams : 0),
        refuses_offers_(queues.node().members()),
        ways_(queues.node().members()),
        cannot_pull_(queues.node().members()) {}

  void send(Send& send);

  /// Sends a message of at most kEagerBytes if that can be done at once. Receiver::sent() is not
  /// called. @return false if nothing was done
  [[nodiscard]] bool send_now(Send& send) {
    return send.bytes <= kEagerBytes && (send.flags & kAsksReceipt) == 0 && to_begin_.empty() &&
           begin(send);
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
      if (!progress() && waiter_.wait(!moves_without_news()) == Waited::failed) return false;
    }
    return true;
  }

  /// True if something waits for memory that receivers will release, or is in a stream. Nobody
  /// wakes a process for that.
  [[nodiscard]] bool moves_without_news() const noexcept {
    return !to_begin_.empty() || !to_continue_.empty() || !answers_.empty() || streams_move();
  }

  /// True if a send is not done, or an answer is not sent.
  [[nodiscard]] bool sends() const noexcept { return moves_without_news() || !begun_.empty(); }

  [[nodiscard]] Queues& queues() const noexcept { return queues_; }
  [[nodiscard]] Waiter& waiter() noexcept { return waiter_; }
  [[nodiscard]] const Waiter& waiter() const noexcept { return waiter_; }

  /// Messages that were read in their sender's memory, at least in part.
  [[nodiscard]] uint64_t pulled() const noexcept { return pulled_; }
  /// Messages that were taken from streams.
  [[nodiscard]] uint64_t streamed() const noexcept { return streamed_; }

private:
  static constexpr uint32_t kStreams = 2;  ///< that a member makes

  /// A message in fragments that arrives.
  struct Incoming {
    Arrival arrival;
    Place place;
    uint64_t received;
  };

  /// Where a message is that was offered. In a fragment, and kept while the program holds it.
  struct Offer {
    const void* source;
    uint64_t stream;
    uint32_t from, message;
  };

  struct OutgoingStream {
    Send* send;
    Stream* stream;
    Cut cut;
  };
  struct IncomingStream {
    Arrival arrival;
    Place place;
    Offer offer;
    Way way;
    Stream* stream;
    uint64_t received;
    uint64_t begun_ns, moved_ns;
  };

  /// Flags of `go`, in the place of those of the program.
  enum GoFlags : uint16_t {
    kNoOffers = 1,  ///< offers cannot be read
    kSmall = 2,     ///< the message goes through its stream
    kLarge = 4,
  };

  bool take_one();
  void handle(const Fragment& fragment);
  void make_room();
  void take_whole(const Fragment& fragment);
  void take_first(const Fragment& fragment);
  void take_more(const Fragment& fragment);
  void take_answer(const Fragment& fragment);
  bool begin(Send& send);
  bool continue_sends();
  bool answer();
  void expect_rest(const Arrival& arrival, const Place& place, uint16_t flags);
  void give_receipt(const Arrival& arrival);
  void finish(Send& send);

  // Long messages.
  [[nodiscard]] bool may_offer(const Send& send) const;
  void accept_offer(const Offer& offer, const Arrival& arrival, const Place& place, bool expected);
  void end_pulled(const Arrival& arrival, const Place& place);
  bool pull(const Offer& offer, const Place& place, uint64_t begin, uint64_t end);
  uint64_t take_stream();
  void return_stream(Send& send);
  void begin_stream(Send& send, uint16_t flags);
  [[nodiscard]] bool streams_move() const noexcept {
    return !outgoing_streams_.empty() || !incoming_streams_.empty();
  }
  bool move_streams();
  bool move_outgoing();
  bool move_incoming();
  bool pull_delayed();

  struct Answer {
    uint32_t to, message;
    Kind kind;
    uint16_t flags;
    uint64_t note;
  };

  Queues& queues_;
  Receiver& receiver_;
  Waiter waiter_;
  const uint64_t offer_bytes_;
  uint32_t next_message_ = 0;
  std::deque<Send*> to_begin_;     ///< in their order
  std::vector<Send*> begun_;       ///< wait for the receiver's answer
  std::deque<Send*> to_continue_;  ///< the receiver has answered
  std::vector<Answer> answers_;    ///< that wait for memory
  Fragment fragment_{};
  bool has_fragment_ = false;  ///< for which there was no memory
  std::vector<Incoming> incoming_;
  std::vector<Offer> held_offers_;
  uint32_t streams_;                    ///< that may still be made
  std::vector<uint64_t> free_streams_;  ///< offsets
  std::vector<OutgoingStream> outgoing_streams_;
  std::vector<IncomingStream> incoming_streams_;
  std::vector<bool> refuses_offers_;  ///< members, as receivers
  Ways ways_;
  std::vector<bool> cannot_pull_;  ///< from these members
  uint64_t pulled_ = 0, streamed_ = 0;
};

}  // namespace plait::transport
