// SPDX-License-Identifier: BSD-3-Clause
// A ring per pair of processes: the designs sm, sm-counted and cor.
#include "transport/pair_queues.hpp"

#include <atomic>
#include <vector>

namespace plait::transport {
namespace {

constexpr uint32_t kEagerBlocks = 24, kLargeBlocks = 8;
constexpr uint32_t kBlocks[kBlockSizes] = {0, kEagerBlocks, kLargeBlocks};

/// A ring is never full: it has room for all fragments of its sender and for the acknowledgements
/// of all those of its receiver.
constexpr uint32_t kEntries = 2 * (kEagerBlocks + kLargeBlocks);
static_assert((kEntries & (kEntries - 1)) == 0);

/// From one member to another. An entry is the offset of a block; 0 if there is none.
struct Ring {
  alignas(kLine) std::atomic<uint64_t> entries[kEntries];
  alignas(kLine) std::atomic<uint32_t> released;  ///< fragments, for a sender that counts them
};

/// In an entry: the block returns to its owner. Blocks are aligned.
constexpr uint64_t kAcknowledges = 1;

uint64_t pool_bytes() {
  return Pool::bytes_for(kBlocks);
}

/// What a member keeps of a peer.
struct Peer {
  uint32_t put = 0;    ///< entries put into the ring to it
  uint32_t taken = 0;  ///< entries taken from the ring from it
  uint32_t released = 0;
  uint32_t returned = 0;         ///< blocks that it has released, with counting
  Block* blocks[kEntries] = {};  ///< in the order in which they were put, with counting
};

class PairQueues : public Queues {
public:
  PairQueues(Node& node, uint32_t self, bool counts)
      : Queues(node, self),
        counts_(counts),
        peers_(node.members()),
        pool_(node, self, kBlocks, node.fixed(self) + node.members() * sizeof(Ring), pool_bytes(),
              pool_bytes()) {}

  Put put(uint32_t to, const Header& header, const void* data) noexcept override {
    Block* block = pool_.take(header.bytes);
    if (block == nullptr && counts_ && count_released()) block = pool_.take(header.bytes);
    if (block == nullptr) return full_or_failed();
    fill(block->header, block->data(), header, data);
    block->header.from = self_;
    if (counts_) peers_[to].blocks[peers_[to].put % kEntries] = block;
    append(to, node_.offset(block));
    node_.bell(to).wake_if_asleep();
    return Put::sent;
  }

  bool take(Fragment& fragment) noexcept override {
    for (uint32_t look = 0; look < node_.members(); ++look) {
      const uint32_t from = next_;
      next_ = next_ + 1 < node_.members() ? next_ + 1 : 0;
      if (take_from(from, fragment)) return true;
    }
    return false;
  }

  void release(const Fragment& fragment) noexcept override {
    const uint32_t from = fragment.header->from;
    if (counts_) {
      ring(from, self_).released.store(++peers_[from].released, std::memory_order_release);
    } else {
      // A member that sleeps needs no block, so it is not woken.
      append(from, fragment.place | kAcknowledges);
    }
  }

  bool has_news() noexcept override {
    for (uint32_t from = 0; from < node_.members(); ++from) {
      if (ring(from, self_)
              .entries[peers_[from].taken % kEntries]
              .load(std::memory_order_seq_cst) != 0)
        return true;
    }
    return false;
  }

protected:
  bool take_from(uint32_t from, Fragment& fragment) noexcept {
    for (;;) {
      std::atomic<uint64_t>& entry = ring(from, self_).entries[peers_[from].taken % kEntries];
      const uint64_t place = entry.load(std::memory_order_acquire);
      if (place == 0) return false;
      entry.store(0, std::memory_order_relaxed);
      ++peers_[from].taken;
      if ((place & kAcknowledges) == 0) {
        Block* const block = node_.at<Block>(place);
        fragment = {&block->header, block->data(), place};
        return true;
      }
      pool_.give_back(node_.at<Block>(place - kAcknowledges));
      acknowledged(from);
    }
  }

  virtual void acknowledged(uint32_t from) noexcept { static_cast<void>(from); }

private:
  [[nodiscard]] Ring& ring(uint32_t from, uint32_t to) const noexcept {
    return node_.at<Ring>(node_.fixed(to))[from];
  }

  void append(uint32_t to, uint64_t entry) noexcept {
    // Sequentially consistent, as Bell::wake_if_asleep requires.
    ring(self_, to).entries[peers_[to].put++ % kEntries].store(entry, std::memory_order_seq_cst);
  }

  /// Takes back the blocks that receivers have released. @return false if there are none
  bool count_released() noexcept {
    bool any = false;
    for (uint32_t to = 0; to < node_.members(); ++to) {
      Peer& peer = peers_[to];
      if (peer.returned == peer.put) continue;
      const uint32_t released = ring(self_, to).released.load(std::memory_order_acquire);
      for (; peer.returned != released; any = true)
        pool_.give_back(peer.blocks[peer.returned++ % kEntries]);
    }
    return any;
  }

  const bool counts_;
  std::vector<Peer> peers_;
  Pool pool_;
  uint32_t next_ = 0;
};

/// Polls all rings after so many polls of some.
constexpr uint32_t kPollsOfSome = 64;

class CorQueues final : public PairQueues {
public:
  CorQueues(Node& node, uint32_t self)
      : PairQueues(node, self, false),
        expected_(node.members()),
        acknowledgements_(node.members()),
        is_polled_(node.members()) {
    polled_.reserve(node.members());
  }

  Put put(uint32_t to, const Header& header, const void* data) noexcept override {
    const Put put = PairQueues::put(to, header, data);
    if (put == Put::sent) {
      ++acknowledgements_[to];
      poll(to);
    } else if (put == Put::full) {
      polls_of_some_ = kPollsOfSome;  // others may wait for messages to be taken
    }
    return put;
  }

  bool take(Fragment& fragment) noexcept override {
    if (from_any_ > 0 || polls_of_some_ >= kPollsOfSome) {
      if (PairQueues::take(fragment)) return true;
      polls_of_some_ = 0;
      return false;
    }
    ++polls_of_some_;
    for (std::size_t look = 0; look < polled_.size();) {
      if (at_ >= polled_.size()) at_ = 0;
      const uint32_t from = polled_[at_];
      const bool took = take_from(from, fragment);
      if (!took && expected_[from] == 0 && acknowledgements_[from] == 0) {
        is_polled_[from] = false;
        polled_[at_] = polled_.back();
        polled_.pop_back();
        continue;
      }
      ++at_;
      if (took) return true;
      ++look;
    }
    return false;
  }

  void expect(uint32_t from) noexcept override {
    if (from == kAnyMember) {
      ++from_any_;
    } else {
      ++expected_[from];
      poll(from);
    }
  }

  void withdraw(uint32_t from) noexcept override {
    uint32_t& count = from == kAnyMember ? from_any_ : expected_[from];
    if (count > 0) --count;
  }

  /// The counter for any member is decreased only if nothing was expected from the sender.
  void received(uint32_t from) noexcept override {
    if (expected_[from] > 0) {
      --expected_[from];
    } else if (from_any_ > 0) {
      --from_any_;
    }
  }

protected:
  void acknowledged(uint32_t from) noexcept override { --acknowledgements_[from]; }

private:
  void poll(uint32_t from) noexcept {
    if (is_polled_[from]) return;
    is_polled_[from] = true;
    polled_.push_back(from);
  }

  std::vector<uint32_t> expected_, acknowledgements_;
  std::vector<bool> is_polled_;
  std::vector<uint32_t> polled_;  ///< those with one of the two above 0
  std::size_t at_ = 0;
  uint32_t from_any_ = 0;
  uint32_t polls_of_some_ = 0;
};

}  // namespace

Demand pair_demand(uint32_t members) {
  return {members * sizeof(Ring) + pool_bytes(), 0};
}

std::unique_ptr<Queues> make_sm(Node& node, uint32_t self) {
  return std::make_unique<PairQueues>(node, self, false);
}

std::unique_ptr<Queues> make_sm_counted(Node& node, uint32_t self) {
  return std::make_unique<PairQueues>(node, self, true);
}

std::unique_ptr<Queues> make_cor(Node& node, uint32_t self) {
  return std::make_unique<CorQueues>(node, self);
}

}  // namespace plait::transport
