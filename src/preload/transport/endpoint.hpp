// SPDX-License-Identifier: BSD-3-Clause
// The endpoint: sends and receives of the MPI library.
#pragma once

#include <rdma/fi_endpoint.h>
#include <rdma/fi_tagged.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "preload/transport/address_vector.hpp"
#include "preload/transport/completion_queue.hpp"
#include "preload/transport/free_list.hpp"
#include "preload/transport/membership.hpp"
#include "transport/channel.hpp"

namespace plait::preload::provider {

/// A lock that does nothing where the MPI library promises one thread at a time.
class OptionalLock {
public:
  explicit OptionalLock(bool locks) : locks_(locks) {}
  void lock() {
    if (locks_) mutex_.lock();
  }
  void unlock() {
    if (locks_) mutex_.unlock();
  }
  [[nodiscard]] bool locks() const noexcept { return locks_; }

private:
  const bool locks_;
  std::mutex mutex_;
};

/// What the MPI library asks to send.
struct Outgoing {
  const void* data;
  std::size_t bytes;
  fi_addr_t to;
  uint16_t stream;
  uint64_t tag;
  uint64_t note;
  bool has_note;
  bool completes;     ///< into the queue of completions
  bool copies;        ///< its data may change at once
  bool asks_receipt;  ///< completes when the receiver has it (FI_DELIVERY_COMPLETE)
  void* context;
};

/// What the MPI library asks to receive.
struct Incoming {
  void* data;
  std::size_t room;
  fi_addr_t from;
  uint16_t stream;
  uint64_t tag, ignore;
  bool completes;
  bool takes_several;  ///< messages, until too little room is left
  void* context;
};

/// Messages with tags, and those without.
inline constexpr uint16_t kTagged = 0, kUntagged = 1;
/// Flag of a message beside its stream.
inline constexpr uint16_t kHasNote = 0x100;

class Endpoint final : private transport::Channel::Owner {
public:
  /// What libfabric knows of an endpoint: a pointer to `fid` is one to this object.
  struct Handle {
    fid_ep fid{};
    Endpoint* endpoint = nullptr;
  };

  /// @throws std::bad_alloc
  static int open(Membership& membership, fi_info* info, fid_ep** endpoint, void* context);
  ~Endpoint() override;

  ssize_t send(const Outgoing& outgoing);
  ssize_t receive(const Incoming& incoming);
  /// A look for a message. @param flags  FI_PEEK, FI_CLAIM, FI_DISCARD
  ssize_t probe(const Incoming& incoming, uint64_t flags);

  [[nodiscard]] OptionalLock& lock() noexcept { return lock_; }

  /// With the lock. Waits a little if nothing has come and no completion is in `queue`.
  /// @return FI_SUCCESS, or -FI_EIO if a rank has died
  int progress(std::unique_lock<OptionalLock>& lock, const CompletionQueue* queue);

  /// With the lock. The MPI library gets a completion, so its next poll is not yet one of a wait.
  void has_work() noexcept { channel_->messages().waiter().found(); }

  /// With the lock. True if progress() would find nothing now.
  [[nodiscard]] bool is_quiet() const noexcept {
    return channel_ != nullptr && !channel_->messages().moves_without_news() &&
           !channel_->messages().queues().has_news();
  }

  /// Flags with which operations without flags are done.
  [[nodiscard]] bool send_completes(uint64_t flags) const noexcept {
    return !selective_sends_ || (flags & FI_COMPLETION) != 0;
  }
  [[nodiscard]] bool receive_completes(uint64_t flags) const noexcept {
    return !selective_receives_ || (flags & FI_COMPLETION) != 0;
  }
  [[nodiscard]] uint64_t send_flags() const noexcept { return send_flags_; }
  [[nodiscard]] uint64_t receive_flags() const noexcept { return receive_flags_; }

private:
  struct SendOperation : transport::Send {
    void* context;
    bool completes;
    std::unique_ptr<std::byte[]> copy;
  };
  struct ReceiveOperation : transport::Receive {
    void* context;
    bool completes;
    ReceiveOperation* whole;  ///< null, or the receive of several messages of which this is a part
    uint32_t parts;           ///< that are not complete
    bool exhausted;           ///< takes no more messages
    bool cancelled;           ///< and parts of it are not complete
    SendOperation* answer;    ///< to be sent when it is complete; null: none
  };

  Endpoint(Membership& membership, const fi_info& info);

  void received(transport::Receive& receive) override;
  transport::Receive& part_of(transport::Receive& receive, bool last) override;
  ReceiveOperation& new_receive(const Incoming& incoming);
  void sent(transport::Send& send) override;
  void acknowledge(const transport::Arrival& arrival, SendOperation& answer) noexcept;
  void complete_send(void* context, uint16_t stream) noexcept;
  bool pattern_of(const Incoming& incoming, transport::Pattern& pattern) const noexcept;
  Completion completion_of(const transport::Arrival& arrival, void* context) const noexcept;
  bool take_messages(const CompletionQueue* queue);
  bool wait(std::unique_lock<OptionalLock>& lock);
  int bind(struct fid* other, uint64_t flags);
  int enable();
  ssize_t cancel(void* context);
  ssize_t receive_claimed(const Incoming& incoming, bool discards);
  void drain() noexcept;
  void note_counts() noexcept;

  Handle handle_;
  Membership& membership_;
  OptionalLock lock_;
  const uint64_t send_flags_, receive_flags_;
  std::size_t least_room_ = 64;  ///< for a further message of a receive of several
  bool selective_sends_ = false, selective_receives_ = false;
  CompletionQueue* sends_ = nullptr;
  CompletionQueue* receives_ = nullptr;
  AddressVector* addresses_ = nullptr;
  std::unique_ptr<transport::Queues> queues_;
  std::unique_ptr<transport::Channel> channel_;
  FreeList<SendOperation> send_operations_;
  FreeList<ReceiveOperation> receive_operations_;
  std::unordered_map<void*, transport::Early*> claimed_;  ///< by the context of the probe
  bool failed_ = false;                                   ///< has said that a rank has died

  friend struct EndpointOperations;
};

}  // namespace plait::preload::provider
