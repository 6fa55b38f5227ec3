// SPDX-License-Identifier: BSD-3-Clause
// Messages in progress, found by their envelope.
#include "replay/transfers.hpp"

#include <utility>

namespace plait::replay {

using trace::kNone;

std::uint32_t Transfers::make(const Envelope& envelope) {
  std::uint32_t index = free_;
  if (index == kNone) {
    index = static_cast<std::uint32_t>(pool_.size());
    pool_.emplace_back();
  } else {
    free_ = pool_[index].next;
    pool_[index] = Transfer{};
  }
  pool_[index].envelope = envelope;
  return index;
}

void Transfers::release(std::uint32_t index) {
  pool_[index].next = free_;
  free_ = index;
}

void Transfers::wait(std::uint32_t index) {
  if (++waiting_ > buckets_.size()) grow();
  std::uint32_t& bucket = buckets_[bucket_of(pool_[index].envelope)];
  pool_[index].next = bucket;
  bucket = index;
}

std::uint32_t Transfers::take(const Envelope& envelope, bool sent) {
  std::uint32_t* oldest = nullptr;
  for (std::uint32_t* link = &buckets_[bucket_of(envelope)]; *link != kNone;
       link = &pool_[*link].next) {
    const Transfer& transfer = pool_[*link];
    if (transfer.sent == sent && transfer.envelope == envelope) oldest = link;
  }
  if (oldest == nullptr) return kNone;
  const std::uint32_t index = *oldest;
  *oldest = std::exchange(pool_[index].next, kNone);
  --waiting_;
  return index;
}

std::size_t Transfers::bucket_of(const Envelope& envelope) const {
  // Multiplication by odd constants and the high half: Knuth, TAOCP 3, section 6.4.
  const std::uint64_t pair = (std::uint64_t{envelope.source} << 32) | envelope.destination;
  const std::uint64_t rest = (std::uint64_t{envelope.space} << 32) | envelope.tag;
  const std::uint64_t mixed =
      (pair * 0x9e3779b97f4a7c15ULL) ^ ((rest + 0x632be59bd9b4e019ULL) * 0xc2b2ae3d27d4eb4fULL);
  return static_cast<std::size_t>((mixed * 0x9e3779b97f4a7c15ULL) >> 32) & (buckets_.size() - 1);
}

void Transfers::grow() {
  std::vector<std::uint32_t> old(buckets_.size() * 2, kNone);
  old.swap(buckets_);
  for (std::uint32_t bucket : old) {
    // Inserts the oldest first, so the newest is at the head again.
    std::uint32_t oldest_first = kNone;
    while (bucket != kNone) {
      const std::uint32_t next = std::exchange(pool_[bucket].next, oldest_first);
      oldest_first = std::exchange(bucket, next);
    }
    while (oldest_first != kNone) {
      std::uint32_t& into = buckets_[bucket_of(pool_[oldest_first].envelope)];
      const std::uint32_t next = std::exchange(pool_[oldest_first].next, into);
      into = std::exchange(oldest_first, next);
    }
  }
}

}  // namespace plait::replay
