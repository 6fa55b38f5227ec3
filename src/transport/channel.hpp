// SPDX-License-Identifier: BSD-3-Clause
// Messages for receives with tags: what MPI libraries need of a transport.
#pragma once

#include <cstdint>

#include "transport/matching.hpp"
#include "transport/messages.hpp"

namespace plait::transport {

/// Sends messages of one member, and gives those that arrive to its receives: each to the first one
/// posted that takes it, each receive the first message that it takes, in the order in which
/// messages of a sender were sent. Messages that come before their receive are kept.
///
/// Not for several threads at a time.
class Channel final : private Receiver {
public:
  /// Sees what is complete: in progress(), and a receive also while it is posted.
  class Owner {
  public:
    virtual ~Owner() = default;
    /// Must not throw.
    virtual void received(Receive& receive) = 0;
    /// If this throws, the message stays, and this is called once more in the next progress().
    /// @return a receive for the next message of a receive that takes several
    /// @param last  that receive takes no more messages, and is no longer posted
    virtual Receive& part_of(Receive& receive, bool last) = 0;
    /// Must not throw.
    virtual void sent(Send& send) = 0;
  };

  Channel(Queues& queues, Owner& owner, const WaitPolicy& policy)
      : messages_(queues, *this, policy, Messages::kOfferBytes), owner_(owner) {}
  ~Channel() override;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// As Messages::send and Messages::send_now.
  void send(Send& send) { messages_.send(send); }
  [[nodiscard]] bool send_now(Send& send) { return messages_.send_now(send); }

  void receive(Receive& receive);

  /// Receives that no message has begun for, in the order in which they were posted.
  [[nodiscard]] const ItemList<Receive>& posted() const noexcept { return posted_; }

  /// Takes back one of those.
  void cancel(Receive& receive) noexcept;

  /// The first message that has come before its receive and that such a receive would take; null if
  /// there is none.
  [[nodiscard]] Early* find(const Pattern& pattern) const noexcept;

  /// Keeps a message for receive_claimed(): no other receive takes it.
  void claim(Early& early) noexcept;
  void receive_claimed(Early& early, Receive& receive);
  /// Forgets a message that was claimed.
  void discard_claimed(Early& early);

  [[nodiscard]] bool progress(int most = 16) { return messages_.progress(most); }

  [[nodiscard]] Messages& messages() noexcept { return messages_; }

private:
  Receive& next_part(Receive& receive, const Arrival& arrival);
  Place begin(const Arrival& arrival) override;
  void end(const Arrival& arrival, void* item) override;
  void sent(Send& send) override { owner_.sent(send); }

  Messages messages_;
  Owner& owner_;
  ItemList<Receive> posted_;
  ItemList<Early> early_;
};

}  // namespace plait::transport
