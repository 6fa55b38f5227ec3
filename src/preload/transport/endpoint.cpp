// SPDX-License-Identifier: BSD-3-Clause
// The endpoint: sends and receives of the MPI library.
#include "preload/transport/endpoint.hpp"

#include <rdma/fi_errno.h>
#include <sys/types.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <new>

#include "base/pause.hpp"
#include "preload/transport/info.hpp"

namespace plait::preload::provider {

using transport::Arrival;
using transport::Early;
using transport::Step;

namespace {

uint64_t kind_of(uint16_t flags) {
  return (flags & transport::kStreamFlags) == kTagged ? FI_TAGGED : FI_MSG;
}

/// Bits in the tags of Open MPI 4.1, if the rank of the sender is not in the tag but in the note.
constexpr uint64_t kSynchronous = uint64_t{1} << 32, kAcknowledges = uint64_t{1} << 33;

bool is_synchronous(const Arrival& arrival) {
  return (arrival.flags & (transport::kStreamFlags | kHasNote)) == (kTagged | kHasNote) &&
         (arrival.tag & kSynchronous) != 0;
}

bool locks(const fi_info& info) {
  // FI_THREAD_ENDPOINT lets another thread read a queue while one sends.
  return info.domain_attr->threading != FI_THREAD_DOMAIN;
}

}  // namespace

Endpoint::Endpoint(Membership& membership, const fi_info& info)
    : membership_(membership),
      lock_(locks(info)),
      send_flags_(info.tx_attr->op_flags),
      receive_flags_(info.rx_attr->op_flags),
      queues_(membership.take_queues()) {}

Endpoint::~Endpoint() {
  if (channel_ != nullptr) drain();
  for (const auto& [context, early] : claimed_) Early::destroy(early);
  if (sends_ != nullptr) sends_->detach();
  if (receives_ != nullptr) receives_->detach();
}

int Endpoint::bind(struct fid* other, uint64_t flags) {
  if (other->fclass == FI_CLASS_AV) {
    addresses_ = reinterpret_cast<AddressVector*>(other);
    return FI_SUCCESS;
  }
  if (other->fclass == FI_CLASS_CNTR) return FI_SUCCESS;
  if (other->fclass != FI_CLASS_CQ) return -FI_EINVAL;
  auto* const queue = reinterpret_cast<CompletionQueue*>(other);
  const bool selective = (flags & FI_SELECTIVE_COMPLETION) != 0;
  if ((flags & FI_TRANSMIT) != 0) {
    sends_ = queue;
    selective_sends_ = selective;
  }
  if ((flags & FI_RECV) != 0) {
    receives_ = queue;
    selective_receives_ = selective;
  }
  queue->attach(*this);
  return FI_SUCCESS;
}

int Endpoint::enable() {
  if (addresses_ == nullptr || sends_ == nullptr || receives_ == nullptr) return -FI_EOPBADSTATE;
  if (channel_ != nullptr) return FI_SUCCESS;
  transport::Channel::Owner& owner = *this;
  channel_ = std::make_unique<transport::Channel>(*queues_, owner, membership_.wait_policy());
  __atomic_store_n(&membership_.entry().in_use, 1u, __ATOMIC_RELEASE);
  return FI_SUCCESS;
}

[[gnu::hot]] ssize_t Endpoint::send(const Outgoing& outgoing) {
  uint32_t to = 0;
  if (!addresses_->member(outgoing.to, to)) return -FI_EINVAL;
  const auto flags = static_cast<uint16_t>(
      outgoing.stream | (outgoing.has_note ? kHasNote : 0) |
      (outgoing.completes && outgoing.asks_receipt ? transport::kAsksReceipt : 0));
  const std::lock_guard lock(lock_);
  plait_transport_process& entry = membership_.entry();
  ++entry.sent;
  entry.sent_bytes += outgoing.bytes;
  if (outgoing.completes) sends_->reserve();
  transport::Send quick{to, outgoing.tag, outgoing.data, outgoing.bytes, outgoing.note, flags};
  if (channel_->send_now(quick)) {
    if (outgoing.completes) complete_send(outgoing.context, outgoing.stream);
    return FI_SUCCESS;
  }
  SendOperation& operation = send_operations_.take();
  static_cast<transport::Send&>(operation) = quick;
  operation.context = outgoing.context;
  operation.completes = outgoing.completes && (!outgoing.copies || outgoing.asks_receipt);
  if (outgoing.copies) {
    operation.copy = std::make_unique<std::byte[]>(outgoing.bytes);
    std::memcpy(operation.copy.get(), outgoing.data, outgoing.bytes);
    operation.data = operation.copy.get();
    if (outgoing.completes && !outgoing.asks_receipt)
      complete_send(outgoing.context, outgoing.stream);
  }
  channel_->send(operation);
  if (operation.done) sent(operation);
  return FI_SUCCESS;
}

[[gnu::hot]] void Endpoint::sent(transport::Send& send) {
  auto& operation = static_cast<SendOperation&>(send);
  if (operation.completes) complete_send(operation.context, operation.flags);
  operation.copy.reset();
  send_operations_.give_back(operation);
}

/// After sends_->reserve().
[[gnu::hot]] void Endpoint::complete_send(void* context, uint16_t stream) noexcept {
  sends_->push_reserved(
      {context, FI_SEND | kind_of(stream), 0, nullptr, 0, 0, FI_ADDR_NOTAVAIL, 0, 0});
}

[[gnu::hot]] bool Endpoint::pattern_of(const Incoming& incoming,
                                       transport::Pattern& pattern) const noexcept {
  pattern = {incoming.tag, incoming.ignore, transport::kAnyMember, incoming.stream};
  return incoming.from == FI_ADDR_UNSPEC || addresses_->member(incoming.from, pattern.from);
}

[[gnu::hot]] ssize_t Endpoint::receive(const Incoming& incoming) {
  transport::Pattern pattern;
  if (!pattern_of(incoming, pattern)) return -FI_EINVAL;
  const std::lock_guard lock(lock_);
  ReceiveOperation& operation = new_receive(incoming);
  operation.pattern = pattern;
  if (incoming.takes_several) operation.least = std::max<std::size_t>(least_room_, 1);
  channel_->receive(operation);
  return FI_SUCCESS;
}

[[gnu::hot]] Endpoint::ReceiveOperation& Endpoint::new_receive(const Incoming& incoming) {
  receives_->reserve();
  ReceiveOperation& operation = receive_operations_.take();
  operation.data = static_cast<std::byte*>(incoming.data);
  operation.room = incoming.room;
  operation.least = 0;
  operation.whole = nullptr;
  operation.parts = 0;
  operation.exhausted = operation.cancelled = false;
  operation.answer = nullptr;
  operation.context = incoming.context;
  operation.completes = incoming.completes;
  return operation;
}

transport::Receive& Endpoint::part_of(transport::Receive& receive, bool last) {
  auto& whole = static_cast<ReceiveOperation&>(receive);
  receives_->reserve();
  ReceiveOperation& part = receive_operations_.take();
  part.least = 0;
  part.answer = nullptr;
  part.context = whole.context;
  part.completes = whole.completes;
  part.whole = &whole;
  ++whole.parts;
  whole.exhausted = last;
  return part;
}

[[gnu::hot]] void Endpoint::received(transport::Receive& receive) {
  auto& operation = static_cast<ReceiveOperation&>(receive);
  ++membership_.entry().received;
  Completion completion = completion_of(receive.arrival, operation.context);
  completion.data = receive.data;
  if (receive.arrival.bytes > receive.room) {
    completion.error = FI_ETRUNC;
    completion.length = receive.room;
    completion.beyond = receive.arrival.bytes - receive.room;
  }
  if (operation.answer != nullptr) acknowledge(receive.arrival, *operation.answer);
  ReceiveOperation* const whole = operation.whole;
  const bool ends =
      whole != nullptr && --whole->parts == 0 && (whole->exhausted || whole->cancelled);
  if (ends) {
    if (!whole->cancelled) {
      completion.flags |= FI_MULTI_RECV;
      receives_->forgo();  // that of the whole
    }
    receive_operations_.give_back(*whole);
  }
  if (operation.completes || completion.error != 0) {
    receives_->push_reserved(completion);
  } else {
    receives_->forgo();
  }
  receive_operations_.give_back(operation);
}

[[gnu::hot]] Completion Endpoint::completion_of(const Arrival& arrival,
                                                void* context) const noexcept {
  const uint64_t note_flag = (arrival.flags & kHasNote) != 0 ? FI_REMOTE_CQ_DATA : 0;
  return {context,
          FI_RECV | kind_of(arrival.flags) | note_flag,
          arrival.bytes,
          nullptr,
          arrival.note,
          arrival.tag,
          addresses_->number(arrival.from),
          0,
          0};
}

ssize_t Endpoint::probe(const Incoming& incoming, uint64_t flags) {
  transport::Pattern pattern;
  if (!pattern_of(incoming, pattern)) return -FI_EINVAL;
  std::unique_lock lock(lock_);
  if ((flags & FI_PEEK) == 0) return receive_claimed(incoming, (flags & FI_DISCARD) != 0);
  Early* early = channel_->find(pattern);
  if (early == nullptr) {
    if (const int error = progress(lock, nullptr); error != FI_SUCCESS) return error;
    early = channel_->find(pattern);
  }
  // MPICH has a path of its own for messages of a rank to itself, and looks there first. It sees
  // what has come there after this probe has found nothing. A receive from any source looks there
  // first, too: unless the second probe decides, it may take another message than the probe found.
  const bool again = early != nullptr && membership_.library_has(PLAIT_TRANSPORT_OWN_PATH) &&
                     pattern.from == transport::kAnyMember && !early->looked_at;
  if (early != nullptr) early->looked_at = true;
  if (early == nullptr || again) {
    if (!again && receives_->empty() && sends_->empty()) wait(lock);
    receives_->push({incoming.context, FI_RECV | kind_of(incoming.stream), 0, nullptr, 0,
                     incoming.tag, FI_ADDR_NOTAVAIL, FI_ENOMSG, 0});
    return FI_SUCCESS;
  }
  receives_->push(completion_of(early->arrival, incoming.context));
  if ((flags & (FI_CLAIM | FI_DISCARD)) != 0) channel_->claim(*early);
  if ((flags & FI_CLAIM) != 0)
    claimed_[incoming.context] = early;
  else if ((flags & FI_DISCARD) != 0)
    channel_->discard_claimed(*early);
  return FI_SUCCESS;
}

/// The receive of a message that an earlier probe with this context has claimed.
ssize_t Endpoint::receive_claimed(const Incoming& incoming, bool discards) {
  const auto found = claimed_.find(incoming.context);
  if (found == claimed_.end()) return -FI_EINVAL;
  Early& early = *found->second;
  claimed_.erase(found);
  if (discards) {
    receives_->push(completion_of(early.arrival, incoming.context));
    channel_->discard_claimed(early);
    return FI_SUCCESS;
  }
  ReceiveOperation& operation = new_receive(incoming);
  if (membership_.library_has(PLAIT_TRANSPORT_FORGETS_SENDERS) && is_synchronous(early.arrival))
    operation.answer = &send_operations_.take();
  channel_->receive_claimed(early, operation);
  return FI_SUCCESS;
}

/// Tells the sender what Open MPI's receive forgets to tell it.
void Endpoint::acknowledge(const Arrival& arrival, SendOperation& answer) noexcept {
  static_cast<transport::Send&>(answer) = {
      arrival.from, (arrival.tag & ~kSynchronous) | kAcknowledges, nullptr, 0, 0, kTagged};
  answer.completes = false;
  try {
    channel_->send(answer);
  } catch (const std::bad_alloc&) {
    std::fputs(
        "plait: --transport: not enough memory to acknowledge a message; use fewer ranks per "
        "node\n",
        stderr);
    return;
  }
  if (answer.done) sent(answer);
}

ssize_t Endpoint::cancel(void* context) {
  const std::lock_guard lock(lock_);
  transport::Receive* const receive = channel_->posted().find([&](transport::Receive& one) {
    return static_cast<ReceiveOperation&>(one).context == context;
  });
  if (receive == nullptr) return -FI_ENOENT;
  channel_->cancel(*receive);
  auto& operation = static_cast<ReceiveOperation&>(*receive);
  receives_->push_reserved({context, FI_RECV | kind_of(receive->pattern.stream), 0, receive->data,
                            0, receive->pattern.tag, FI_ADDR_NOTAVAIL, FI_ECANCELED, 0});
  // Else its last part does so.
  operation.cancelled = operation.parts > 0;
  if (!operation.cancelled) receive_operations_.give_back(operation);
  return FI_SUCCESS;
}

/// @return false if there was nothing
[[gnu::hot]] bool Endpoint::take_messages(const CompletionQueue* queue) {
  // The MPI library gets the first message at once, and comes again for the next.
  constexpr int kMost = 16;
  int steps = 0;
  while (steps < kMost && channel_->progress(1)) {
    ++steps;
    if (queue != nullptr && !queue->empty()) break;
  }
  if (steps > 0) has_work();
  return steps > 0;
}

[[gnu::hot]] int Endpoint::progress(std::unique_lock<OptionalLock>& lock,
                                    const CompletionQueue* queue) {
  if (channel_ == nullptr || take_messages(queue)) return FI_SUCCESS;
  if (membership_.node().failed()) {
    if (!failed_)
      std::fputs(
          "plait: --transport: a rank has ended without MPI_Finalize; look for its own error\n",
          stderr);
    failed_ = true;
    return -FI_EIO;
  }
  if (queue != nullptr && queue->empty() && wait(lock)) take_messages(queue);
  return FI_SUCCESS;
}

/// A poll has found nothing: gives the CPU away for a short time if polls have found nothing for
/// long. @return true if it has done so
[[gnu::hot]] bool Endpoint::wait(std::unique_lock<OptionalLock>& lock) {
  transport::Messages& messages = channel_->messages();
  transport::Waiter& waiter = messages.waiter();
  // The MPI library may hold a lock of its own that other threads wait for.
  const Step step = waiter.next_step(!messages.moves_without_news() && !lock_.locks());
  if (step == Step::again) return false;
  if (step == Step::take) return true;
  if (step == Step::pause) {
    pause_cpu();
    return false;
  }
  if (step == Step::sleep) {
    if (!waiter.begin_sleep()) return true;
    note_counts();
    waiter.sleep_briefly();
    waiter.end_sleep();
    return true;
  }
  lock.unlock();
  waiter.give_way();
  lock.lock();
  return true;
}

void Endpoint::note_counts() noexcept {
  plait_transport_process& entry = membership_.entry();
  entry.pulled = channel_->messages().pulled();
  entry.streamed = channel_->messages().streamed();
  entry.sleeps = channel_->messages().waiter().sleeps();
  entry.yields = channel_->messages().waiter().yields();
}

/// Sends what the MPI library has left to it.
void Endpoint::drain() noexcept {
  constexpr time_t kMostSeconds = 2;
  timespec begin{}, now{};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  const std::lock_guard lock(lock_);
  try {
    transport::Messages& messages = channel_->messages();
    while (messages.sends()) {
      if (!channel_->progress() && messages.waiter().wait(false) == transport::Waited::failed)
        break;
      clock_gettime(CLOCK_MONOTONIC, &now);
      if (now.tv_sec - begin.tv_sec <= kMostSeconds) continue;
      std::fputs(
          "plait: --transport: the last messages of a rank were not sent, as nobody has "
          "received them; check that each send has its receive\n",
          stderr);
      break;
    }
  } catch (...) {
    std::fputs(
        "plait: --transport: not enough memory to send the last messages of a rank; use fewer "
        "ranks per node\n",
        stderr);
  }
  note_counts();
}

}  // namespace plait::preload::provider
