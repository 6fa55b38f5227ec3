// SPDX-License-Identifier: BSD-3-Clause
// One receiving queue per process: the designs orq and orq-lock.
#include "transport/one_queue.hpp"

#include <sched.h>

#include <atomic>
#include <bit>

#include "base/pause.hpp"
#include "transport/wait.hpp"

namespace plait::transport {
namespace {

constexpr uint32_t kBlocks[kBlockSizes] = {0, 24, 8};
constexpr uint64_t kBlocksPerMember = 32;

/// In an entry: the block returns to its owner. Blocks are aligned.
constexpr uint64_t kAcknowledges = 1;

/// The entries follow: offsets of blocks, 0 where there is none. The queue is never full: it has
/// room for all fragments of all members, to which acknowledgements of its owner's belong.
struct alignas(kLine) Queue {
  alignas(kLine) std::atomic<uint64_t> put;   ///< entries
  alignas(kLine) std::atomic<uint32_t> lock;  ///< of which member, + 1

  [[nodiscard]] std::atomic<uint64_t>& entry(uint64_t number, uint64_t mask) noexcept {
    return reinterpret_cast<std::atomic<uint64_t>*>(this + 1)[number & mask];
  }
};

uint64_t entries_for(uint32_t members) {
  return std::bit_ceil(members * kBlocksPerMember);
}

uint64_t queue_bytes(uint32_t members) {
  return sizeof(Queue) + entries_for(members) * sizeof(uint64_t);
}

class OneQueue final : public Queues {
public:
  OneQueue(Node& node, uint32_t self, bool locks)
      : Queues(node, self),
        locks_(locks),
        mask_(entries_for(node.members()) - 1),
        pool_(node, self, kBlocks, node.fixed(self) + queue_bytes(node.members()),
              Pool::bytes_for(kBlocks), Pool::bytes_for(kBlocks)) {}

  Put put(uint32_t to, const Header& header, const void* data) noexcept override {
    Block* const block = pool_.take(header.bytes);
    if (block == nullptr) return full_or_failed();
    fill(block->header, block->data(), header, data);
    block->header.from = self_;
    if (!append(to, node_.offset(block))) return Put::failed;
    node_.bell(to).wake_if_asleep();
    return Put::sent;
  }

  bool take(Fragment& fragment) noexcept override {
    for (;;) {
      std::atomic<uint64_t>& entry = queue(self_).entry(taken_, mask_);
      const uint64_t place = entry.load(std::memory_order_acquire);
      if (place == 0) return false;
      entry.store(0, std::memory_order_relaxed);
      ++taken_;
      if ((place & kAcknowledges) == 0) {
        Block* const block = node_.at<Block>(place);
        fragment = {&block->header, block->data(), place};
        return true;
      }
      pool_.give_back(node_.at<Block>(place - kAcknowledges));
    }
  }

  void release(const Fragment& fragment) noexcept override {
    // A member that sleeps needs no block, so it is not woken. Without the lock of a dead member
    // the fragment is lost, as all is then.
    static_cast<void>(append(fragment.header->from, fragment.place | kAcknowledges));
  }

  bool has_news() noexcept override {
    return queue(self_).entry(taken_, mask_).load(std::memory_order_seq_cst) != 0;
  }

private:
  [[nodiscard]] Queue& queue(uint32_t of) const noexcept {
    return *node_.at<Queue>(node_.fixed(of));
  }

  /// @return false if the queue is locked by a dead member
  bool append(uint32_t to, uint64_t entry) noexcept {
    Queue& queue = this->queue(to);
    uint64_t number = 0;
    if (locks_) {
      if (!lock(queue)) return false;
      number = queue.put.load(std::memory_order_relaxed);
      queue.put.store(number + 1, std::memory_order_relaxed);
    } else {
      number = queue.put.load(std::memory_order_relaxed);
      while (!queue.put.compare_exchange_weak(number, number + 1, std::memory_order_relaxed)) {
      }
    }
    // Sequentially consistent, as Bell::wake_if_asleep requires.
    queue.entry(number, mask_).store(entry, std::memory_order_seq_cst);
    if (locks_) queue.lock.store(0, std::memory_order_release);
    return true;
  }

  bool lock(Queue& queue) noexcept {
    constexpr uint32_t kSpins = 1000, kYieldsPerLook = 16;
    for (uint32_t round = 1;; ++round) {
      uint32_t nobody = 0;
      if (queue.lock.load(std::memory_order_relaxed) == 0 &&
          queue.lock.compare_exchange_weak(nobody, self_ + 1, std::memory_order_acquire))
        return true;
      if (round < kSpins) {
        pause_cpu();
        continue;
      }
      sched_yield();
      if (round % kYieldsPerLook == 0) node_.look_for_dead(look_at_);
      if (node_.failed()) return false;
    }
  }

  const bool locks_;
  const uint64_t mask_;
  Pool pool_;
  uint64_t taken_ = 0;
  uint32_t look_at_ = 0;
};

}  // namespace

Demand one_queue_demand(uint32_t members) {
  return {queue_bytes(members) + Pool::bytes_for(kBlocks), 0};
}

std::unique_ptr<Queues> make_orq(Node& node, uint32_t self) {
  return std::make_unique<OneQueue>(node, self, false);
}

std::unique_ptr<Queues> make_orq_lock(Node& node, uint32_t self) {
  return std::make_unique<OneQueue>(node, self, true);
}

}  // namespace plait::transport
