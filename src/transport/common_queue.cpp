// SPDX-License-Identifier: BSD-3-Clause
// One common queue per process, and rings for peers that send much: the design auto.
#include "transport/common_queue.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <vector>

namespace plait::transport {
namespace {

/// The last limits what messages in fragments take of a shared cache, to 512 KiB.
constexpr uint32_t kBlocks[kBlockSizes] = {kUnlimited, kUnlimited, 16};

/// Those of fixed memory. When there is no room for more, senders wait until these return.
constexpr uint32_t kPrepared[kBlockSizes] = {32, 8, 2};

/// Of kWindow consecutive messages of a member, a peer must get kHotMessages to get a ring: many
/// rings are many places in memory, which are cold where ranks share cores.
constexpr uint32_t kWindow = 256, kHotMessages = 16;
constexpr uint32_t kCrowd = 32;       ///< blocks with messages; with more, receivers should run
constexpr uint32_t kRings = 62;       ///< to one member at most
constexpr uint32_t kTakenFirst = 16;  ///< looks at the last ring until all queues have their turn
constexpr uint64_t kCommonNews = uint64_t{1} << kRings;
static_assert(kRings < Bell::kNewsBits);

/// A message in a ring. Only the sender writes it, so its cache line crosses once per message.
struct alignas(kLine) Slot {
  static constexpr uint32_t kDataBytes = 200;

  std::atomic<uint32_t> number;  ///< of the message, of those in the ring, from 1; stored last
  uint32_t sequence;             ///< of those from the sender to the receiver
  Header header;
  uint64_t block;  ///< offset of that with header and data; 0: they are here
  std::byte data[kDataBytes];
};
static_assert(sizeof(Slot) == 4 * kLine);

/// From one member to another, in the sender's memory.
struct Ring {
  static constexpr uint32_t kSlots = 32;
  static constexpr uint32_t kReleasedTogether = 8;

  alignas(kLine) uint32_t from;
  /// Messages whose slots the receiver needs no more; it tells only every few of them.
  alignas(kLine) std::atomic<uint32_t> released;
  Slot slots[kSlots];
};

/// Rings of one member in fixed memory, where all members' are close to each other: then few tables
/// of pages lead to them. Further ones are in memory that grows.
constexpr uint32_t fixed_rings(uint32_t members) {
  constexpr uint32_t kEach = 8, kTogether = 1024;  // 8 MiB
  return std::min(kEach, kTogether / members);
}

/// A list of blocks, into which any member puts and from which one takes all.
class List {
public:
  void put(const Node& node, Block* block) noexcept {
    uint64_t first = first_.load(std::memory_order_relaxed);
    do {
      block->next.store(first, std::memory_order_relaxed);
    } while (!first_.compare_exchange_weak(first, node.offset(block), std::memory_order_release,
                                           std::memory_order_relaxed));
  }

  /// The offset of the block that was put last, from which `next` leads to earlier ones; 0: none.
  uint64_t take_all() noexcept {
    if (first_.load(std::memory_order_relaxed) == 0) return 0;
    return first_.exchange(0, std::memory_order_acquire);
  }

private:
  std::atomic<uint64_t> first_;
};

/// The fixed memory of a member.
struct Inbox {
  alignas(kLine) List common;
  alignas(kLine) List returned;  ///< blocks of this member that others have released
  alignas(kLine) std::atomic<uint32_t> rings;
  std::atomic<uint64_t> ring_at[kRings];  ///< offsets
};

/// The place of a fragment in a slot: this, and twice the bit of its ring. Blocks are aligned.
constexpr uint64_t kSlotPlace = 1;

class CommonQueue final : public Queues {
public:
  CommonQueue(Node& node, uint32_t self)
      : Queues(node, self),
        outgoing_(node.members()),
        expected_sequence_(node.members()),
        pool_(node, self, kBlocks, fixed_rings_at() + fixed_rings(node.members()) * sizeof(Ring),
              Pool::bytes_for(kPrepared), Pool::bytes_for(kPrepared)) {
    pool_.prepare(kPrepared);
    pool_.continue_at(node.growth(self), node.demand().growth_bytes);
  }

  [[gnu::hot]] Put put(uint32_t to, const Header& header, const void* data) noexcept override {
    Outgoing& peer = outgoing_[to];
    if (peer.ring == nullptr && !peer.refused && becomes_hot(peer)) make_ring(to);
    Slot* const slot = free_slot(peer);
    Block* block = nullptr;
    if (slot == nullptr || header.bytes > Slot::kDataBytes) {
      block = take_block(header.bytes);
      if (block == nullptr) return full_or_failed();
      fill(block->header, block->data(), header, data);
      block->header.from = self_;
    } else {
      fill(slot->header, slot->data, header, data);
      slot->header.from = self_;
    }
    const uint32_t sequence = peer.sequence++;
    ++sent_;
    if (slot != nullptr) {
      slot->block = block == nullptr ? 0 : node_.offset(block);
      slot->sequence = sequence;
      slot->number.store(++peer.put, std::memory_order_release);
      node_.bell(to).ring_unless_set(uint64_t{1} << peer.bit);
    } else {
      block->sequence = sequence;
      inbox(to).common.put(node_, block);
      node_.bell(to).ring(kCommonNews);
    }
    return Put::sent;
  }

  [[gnu::hot]] bool take(Fragment& fragment) noexcept override {
    // The other process of an exchange, without a look at the bell.
    if (first_bit_ < kRings && ++taken_first_ % kTakenFirst != 0 &&
        take_from_ring(first_bit_, fragment))
      return true;
    do {
      rings_first_ = !rings_first_;  // so that neither keeps the other waiting
      if (rings_first_ && take_from_rings(fragment)) return true;
      if (take_from_common(fragment)) return true;
      if (!rings_first_ && take_from_rings(fragment)) return true;
    } while (look_at_bell());
    return false;
  }

  [[gnu::hot]] void release(const Fragment& fragment) noexcept override {
    if ((fragment.place & kSlotPlace) != 0) {
      release_slot(incoming_[fragment.place >> 1]);
      return;
    }
    Block* const block = node_.at<Block>(fragment.place);
    if (block->owner == self_) {
      give_back(block);
    } else {
      inbox(block->owner).returned.put(node_, block);
    }
  }

  [[gnu::hot]] bool has_news() noexcept override {
    return rings_with_news_ != 0 || first_ != nullptr ||
           (first_bit_ < kRings && is_full(incoming_[first_bit_], std::memory_order_seq_cst)) ||
           other_news() != 0;
  }

  /// If nothing was released since, it says so again only with twice as many.
  bool crowded() noexcept override {
    if (out_ < crowd_) return false;
    crowd_ *= 2;
    return true;
  }

  uint64_t allocate(uint64_t bytes) noexcept override { return pool_.allocate(bytes); }

private:
  struct Outgoing {
    Ring* ring = nullptr;
    uint32_t bit = 0;        ///< of the ring in the peer's bell
    uint32_t put = 0;        ///< into the ring
    uint32_t released = 0;   ///< of these, as far as is known
    uint32_t sequence = 0;   ///< of the next message
    uint32_t window = 0;     ///< of this member's messages, in which it
    uint32_t in_window = 0;  ///< had so many of them
    bool refused = false;    ///< the peer has too many rings
  };
  struct Incoming {
    Ring* ring = nullptr;
    uint32_t taken = 0;
    uint32_t released = 0;

    /// The slot of the next message.
    [[nodiscard]] Slot& next_slot() const noexcept { return ring->slots[taken % Ring::kSlots]; }
  };

  /// True if the next message of a ring is there.
  static bool is_full(const Incoming& peer, std::memory_order order) noexcept {
    return peer.next_slot().number.load(order) == peer.taken + 1;
  }

  /// @return null if there is no ring, or it is full
  static Slot* free_slot(Outgoing& peer) noexcept {
    if (peer.ring == nullptr) return nullptr;
    if (peer.put - peer.released == Ring::kSlots) {
      peer.released = peer.ring->released.load(std::memory_order_acquire);
      if (peer.put - peer.released == Ring::kSlots) return nullptr;
    }
    return &peer.ring->slots[peer.put % Ring::kSlots];
  }

  [[gnu::hot]] static void release_slot(Incoming& peer) noexcept {
    if (++peer.released % Ring::kReleasedTogether != 0) return;
    peer.ring->released.store(peer.released, std::memory_order_release);
  }

  /// Counts a message to a peer without a ring.
  bool becomes_hot(Outgoing& peer) noexcept {
    const uint32_t window = sent_ / kWindow;
    if (peer.window != window) peer.in_window = 0;
    peer.window = window;
    return ++peer.in_window == kHotMessages;
  }

  [[nodiscard]] Inbox& inbox(uint32_t of) const noexcept {
    return *node_.at<Inbox>(node_.fixed(of));
  }

  void make_ring(uint32_t to) noexcept {
    Outgoing& peer = outgoing_[to];
    Inbox& inbox = this->inbox(to);
    peer.refused = true;
    if (inbox.rings.load(std::memory_order_relaxed) >= kRings) return;
    const uint64_t at = room_for_ring();
    if (at == 0) return;
    const uint32_t bit = inbox.rings.fetch_add(1, std::memory_order_relaxed);
    if (bit >= kRings) return;
    peer.ring = node_.at<Ring>(at);
    peer.ring->from = self_;
    peer.bit = bit;
    // The first bit in the bell follows, with which the receiver sees this.
    inbox.ring_at[bit].store(at, std::memory_order_release);
  }

  uint64_t room_for_ring() noexcept {
    if (fixed_rings_ == fixed_rings(node_.members())) return pool_.allocate(sizeof(Ring));
    return fixed_rings_at() + fixed_rings_++ * sizeof(Ring);
  }

  /// Offset of the rings in fixed memory, behind the inbox.
  [[nodiscard]] uint64_t fixed_rings_at() const noexcept {
    return node_.fixed(self_) + sizeof(Inbox);
  }

  void give_back(Block* block) noexcept {
    pool_.give_back(block);
    --out_;
  }

  Block* take_block(uint32_t bytes) noexcept {
    for (uint64_t at = inbox(self_).returned.take_all(); at != 0;) {
      Block* const block = node_.at<Block>(at);
      at = block->next.load(std::memory_order_relaxed);
      give_back(block);
    }
    if (out_ < kCrowd) crowd_ = kCrowd;
    Block* const block = pool_.take(bytes);
    if (block != nullptr) ++out_;
    return block;
  }

  /// Notes which queues have news. @return false if there are none
  [[gnu::hot]] bool look_at_bell() noexcept {
    if (other_news() == 0) return false;
    const uint64_t news = node_.bell(self_).take_news();
    rings_with_news_ |= news & (kCommonNews - 1);
    if ((news & kCommonNews) != 0) append(inbox(self_).common.take_all());
    return true;
  }

  /// The news of the queues but the ring that is polled first, whose bit may stay.
  [[nodiscard]] uint64_t other_news() const noexcept {
    const uint64_t first = first_bit_ < kRings ? uint64_t{1} << first_bit_ : 0;
    return node_.bell(self_).news() & ~first;
  }

  /// Appends blocks to those that were taken from the common queue, the last one first.
  void append(uint64_t at) noexcept {
    Block* first = nullptr;
    Block* last = nullptr;
    while (at != 0) {
      Block* const block = node_.at<Block>(at);
      at = block->next.load(std::memory_order_relaxed);
      block->next.store(first == nullptr ? 0 : node_.offset(first), std::memory_order_relaxed);
      if (last == nullptr) last = block;
      first = block;
    }
    if (first == nullptr) return;
    if (first_ == nullptr) {
      first_ = first;
    } else {
      last_->next.store(node_.offset(first), std::memory_order_relaxed);
    }
    last_ = last;
  }

  [[gnu::hot]] bool take_from_common(Fragment& fragment) noexcept {
    Block* const block = first_;
    // If its turn has not come, earlier messages are in its sender's ring, whose bit is in the bell
    // or noted.
    if (block == nullptr || block->sequence != expected_sequence_[block->header.from]) return false;
    const uint64_t next = block->next.load(std::memory_order_relaxed);
    first_ = next == 0 ? nullptr : node_.at<Block>(next);
    return deliver(block, fragment);
  }

  /// Takes from the rings with news in turn.
  [[gnu::hot]] bool take_from_rings(Fragment& fragment) noexcept {
    for (uint64_t left = rings_with_news_; left != 0;) {
      const uint64_t later = left & (~uint64_t{0} << next_bit_);
      const auto bit = static_cast<uint32_t>(std::countr_zero(later != 0 ? later : left));
      left &= ~(uint64_t{1} << bit);
      if (take_from_ring(bit, fragment)) {
        next_bit_ = bit + 1;
        first_bit_ = bit;
        return true;
      }
    }
    return false;
  }

  [[gnu::hot]] bool take_from_ring(uint32_t bit, Fragment& fragment) noexcept {
    Incoming& peer = incoming_[bit];
    if (peer.ring == nullptr) {
      peer.ring = node_.at<Ring>(inbox(self_).ring_at[bit].load(std::memory_order_acquire));
    }
    if (!is_full(peer, std::memory_order_acquire)) {
      rings_with_news_ &= ~(uint64_t{1} << bit);
      return false;
    }
    Slot& slot = peer.next_slot();
    // Else earlier messages are in the common queue.
    if (slot.sequence != expected_sequence_[peer.ring->from]) return false;
    ++peer.taken;
    if (slot.block == 0) {
      ++expected_sequence_[peer.ring->from];
      fragment = {&slot.header, slot.data, uint64_t{bit} << 1 | kSlotPlace};
      return true;
    }
    Block* const block = node_.at<Block>(slot.block);
    release_slot(peer);
    return deliver(block, fragment);
  }

  [[gnu::hot]] bool deliver(Block* block, Fragment& fragment) noexcept {
    ++expected_sequence_[block->header.from];
    fragment = {&block->header, block->data(), node_.offset(block)};
    return true;
  }

  std::vector<Outgoing> outgoing_;
  std::vector<uint32_t> expected_sequence_;  ///< of the next message from each member
  Incoming incoming_[kRings];
  Pool pool_;
  uint64_t rings_with_news_ = 0;
  uint32_t next_bit_ = 0;
  uint32_t first_bit_ = kRings;  ///< the ring from which a message was taken last; kRings: none
  uint32_t taken_first_ = 0;
  uint32_t fixed_rings_ = 0;  ///< that are made
  uint32_t sent_ = 0;         ///< messages
  uint32_t out_ = 0;          ///< blocks of this member that others have not released
  uint32_t crowd_ = kCrowd;   ///< of these
  Block* first_ = nullptr;    ///< of those taken from the common queue
  Block* last_ = nullptr;
  bool rings_first_ = false;
};

}  // namespace

Demand common_demand(uint32_t members) {
  constexpr uint64_t kMebibyte = 1 << 20;
  // Addresses only: 64 GiB of all members together.
  return {sizeof(Inbox) + fixed_rings(members) * sizeof(Ring) + Pool::bytes_for(kPrepared),
          std::clamp(65536 * kMebibyte / members, 64 * kMebibyte, 1024 * kMebibyte)};
}

std::unique_ptr<Queues> make_common(Node& node, uint32_t self) {
  return std::make_unique<CommonQueue>(node, self);
}

}  // namespace plait::transport
