// SPDX-License-Identifier: BSD-3-Clause
// Fragments: what queues carry, and each sender's memory for them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transport/node.hpp"

namespace plait::transport {

/// Henriksen (2008), section 4.2.2, as in Open MPI 1.2.3.
inline constexpr uint32_t kEagerBytes = 4096;      ///< of a message that is sent at once
inline constexpr uint32_t kFragmentBytes = 32768;  ///< of the fragments of others

enum class Kind : uint16_t {
  whole,  ///< a message
  first,  ///< the first fragment of a longer one
  go,     ///< from the receiver: the rest may be sent
  more,   ///< a further fragment
  offer,  ///< in place of `first`: the data are an Offer
  taken,  ///< from the receiver: it has the message
};

/// What a fragment is.
struct Header {
  uint32_t from;
  uint32_t bytes;    ///< in this fragment
  uint64_t tag;      ///< of the message, for the program, as `note` and `flags`
  uint64_t extent;   ///< bytes of the message; `more`: where in the message it belongs
  uint64_t note;     ///< `go`: where in the message to begin
  uint32_t message;  ///< number of the message, of those from its sender
  Kind kind;
  uint16_t flags;
};

/// A fragment that was received: in shared memory, until it is released.
struct Fragment {
  const Header* header;
  const std::byte* data;
  uint64_t place;  ///< for the queues
};

/// A fragment's memory. The data follows.
struct alignas(kLine) Block {
  Header header;
  std::atomic<uint64_t> next;  ///< offset of a block; a list's use
  uint64_t size;               ///< BlockSize
  uint32_t sequence;           ///< for the queues
  uint32_t owner;              ///< the member that allocated it

  [[nodiscard]] std::byte* data() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};
static_assert(sizeof(Block) == kLine);

/// Copies bytes; few of them without a call.
inline void copy_bytes(std::byte* into, const void* from, std::size_t bytes) noexcept {
  const auto* const source = static_cast<const std::byte*>(from);
  constexpr std::size_t kWord = sizeof(uint64_t);
  if (bytes > 2 * kWord) {
    std::memcpy(into, source, bytes);
  } else if (bytes >= kWord) {
    uint64_t first = 0, last = 0;
    std::memcpy(&first, source, kWord);
    std::memcpy(&last, source + bytes - kWord, kWord);
    std::memcpy(into, &first, kWord);
    std::memcpy(into + bytes - kWord, &last, kWord);
  } else {
    for (std::size_t i = 0; i < bytes; ++i) into[i] = source[i];
  }
}

/// Copies a fragment.
inline void fill(Header& into, std::byte* into_data, const Header& header,
                 const void* data) noexcept {
  into = header;
  copy_bytes(into_data, data, header.bytes);
}

enum BlockSize : uint32_t { kSmall, kEager, kLarge, kBlockSizes };

/// Bytes of data of each size of block.
inline constexpr uint32_t kBlockBytes[kBlockSizes] = {192, kEagerBytes, kFragmentBytes};
inline constexpr uint32_t kUnlimited = UINT32_MAX;

/// Blocks of one member, which only that member takes.
class Pool {
public:
  /// @param most  blocks of each size
  /// @param from  offset of its memory
  /// @param reserved  bytes of it that are reserved; the rest is reserved when it is needed
  Pool(const Node& node, uint32_t owner, const uint32_t (&most)[kBlockSizes], uint64_t from,
       uint64_t bytes, uint64_t reserved) noexcept;

  /// Allocates blocks that are free at first.
  void prepare(const uint32_t (&counts)[kBlockSizes]) noexcept;

  /// Further memory is taken from there.
  /// @param bytes  none of which is reserved
  void continue_at(uint64_t from, uint64_t bytes) noexcept;

  /// A block for so many bytes of data; null if none is free.
  [[nodiscard]] Block* take(uint32_t bytes) noexcept;

  void give_back(Block* block) noexcept;

  /// Memory for something else than blocks, as long as the node exists; 0: there is none.
  [[nodiscard]] uint64_t allocate(uint64_t bytes) noexcept;

  /// Bytes that blocks of these numbers need.
  static constexpr uint64_t bytes_for(const uint32_t (&most)[kBlockSizes]) noexcept {
    uint64_t sum = 0;
    for (uint32_t size = 0; size < kBlockSizes; ++size)
      sum += uint64_t{most[size]} * (sizeof(Block) + kBlockBytes[size]);
    return sum;
  }

private:
  [[nodiscard]] Block* new_block(uint32_t size) noexcept;

  const Node& node_;
  uint32_t owner_;
  uint32_t left_[kBlockSizes];  ///< that may still be allocated
  Block* free_[kBlockSizes] = {};
  uint64_t at_, end_, reserved_end_;
};

}  // namespace plait::transport
