// SPDX-License-Identifier: BSD-3-Clause
// Each sender's memory for fragments.
#include "transport/fragments.hpp"

#include <algorithm>

namespace plait::transport {
namespace {

constexpr uint64_t kPiece = 64 * 1024;  ///< bytes that are reserved at a time

}  // namespace

Pool::Pool(const Node& node, uint32_t owner, const uint32_t (&most)[kBlockSizes], uint64_t from,
           uint64_t bytes, uint64_t reserved) noexcept
    : node_(node), owner_(owner), at_(from), end_(from + bytes), reserved_end_(from + reserved) {
  std::copy(most, most + kBlockSizes, left_);
}

uint64_t Pool::allocate(uint64_t bytes) noexcept {
  const uint64_t end = at_ + (bytes + kLine - 1) / kLine * kLine;
  if (end > end_) return 0;
  if (end > reserved_end_) {
    const uint64_t new_end = std::min(end_, reserved_end_ + std::max(kPiece, end - reserved_end_));
    if (!node_.segment().reserve(reserved_end_, new_end - reserved_end_)) return 0;
    reserved_end_ = new_end;
  }
  const uint64_t from = at_;
  at_ = end;
  return from;
}

void Pool::prepare(const uint32_t (&counts)[kBlockSizes]) noexcept {
  for (uint32_t size = 0; size < kBlockSizes; ++size) {
    for (uint32_t block = 0; block < counts[size]; ++block) give_back(new_block(size));
  }
}

void Pool::continue_at(uint64_t from, uint64_t bytes) noexcept {
  at_ = reserved_end_ = from;
  end_ = from + bytes;
}

Block* Pool::take(uint32_t bytes) noexcept {
  uint32_t size = kSmall;
  while (bytes > kBlockBytes[size] || (left_[size] == 0 && free_[size] == nullptr)) {
    // A larger block instead only where the design has none of this size.
    if (bytes <= kBlockBytes[size] && size != kSmall) return nullptr;
    if (++size == kBlockSizes) return nullptr;
  }
  if (Block* const block = free_[size]) {
    const uint64_t next = block->next.load(std::memory_order_relaxed);
    free_[size] = next == 0 ? nullptr : node_.at<Block>(next);
    return block;
  }
  return new_block(size);
}

Block* Pool::new_block(uint32_t size) noexcept {
  const uint64_t from = allocate(sizeof(Block) + kBlockBytes[size]);
  if (from == 0) return nullptr;
  if (left_[size] != kUnlimited) --left_[size];
  Block* const block = node_.at<Block>(from);
  block->size = size;
  block->owner = owner_;
  return block;
}

void Pool::give_back(Block* block) noexcept {
  Block*& first = free_[block->size];
  block->next.store(first == nullptr ? 0 : node_.offset(first), std::memory_order_relaxed);
  first = block;
}

}  // namespace plait::transport
