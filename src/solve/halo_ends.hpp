// SPDX-License-Identifier: BSD-3-Clause
// What MPI is told of a halo's messages: an address, a count and a datatype for each end.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plait/field.hpp"
#include "solve/halo_messages.hpp"

namespace plait::solve {

/// A buffer as MPI knows it.
struct MessageEnd {
  void* address = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
};

/// The ends of a rank's messages. Packed ones are buffers of bytes; the others are datatypes on the
/// memory of the fields, made anew for fields at other addresses and kept for the last few, as
/// solvers swap their fields. Both sides of a message may choose differently.
class MessageEnds {
public:
  /// What is valid for fields at certain addresses. `number` never occurs again for others.
  struct Set {
    std::vector<void*> origins;
    std::vector<MessageEnd> send;
    std::vector<MessageEnd> receive;
    std::uint64_t number = 0;
  };
  /// So many sets are kept: two fields that are swapped need two, Runge-Kutta schemes a few.
  static constexpr std::size_t kept = 8;

  /// Keeps references to all but `layout`. Only the messages in `mine` are described; of each that
  /// is packed, outgoing[m] and incoming[m] are the buffers.
  MessageEnds(const HaloShape& shape, std::span<const FieldView> layout,
              const std::vector<HaloMessage>& messages, std::span<std::byte* const> outgoing,
              std::span<std::byte* const> incoming, const std::vector<std::size_t>& mine,
              bool packed);
  ~MessageEnds();
  MessageEnds(const MessageEnds&) = delete;
  MessageEnds& operator=(const MessageEnds&) = delete;

  /// The index, below `kept`, of the set for these fields, and the set.
  std::size_t select(std::span<const FieldView> fields);
  [[nodiscard]] const Set& set(std::size_t index) const { return sets_[index]; }
  /// The communicator's rank at the other end, and the length of message `i` of `mine`.
  [[nodiscard]] int peer(std::size_t i) const { return messages_[mine_[i]].peer.rank; }
  [[nodiscard]] std::size_t size() const { return mine_.size(); }

private:
  void describe(std::span<const FieldView> fields, Set& set) const;
  void release(Set& set) const;
  /// Relative to the origin of the first field.
  [[nodiscard]] MPI_Datatype region_type(std::span<const FieldView> fields,
                                         std::span<const Int3> directions, bool ghosts) const;

  const HaloShape& shape_;
  const std::vector<HaloMessage>& messages_;
  std::span<std::byte* const> outgoing_;
  std::span<std::byte* const> incoming_;
  const std::vector<std::size_t>& mine_;
  bool packed_;
  std::array<Set, kept> sets_;
  std::size_t newest_ = 0;
  std::uint64_t made_ = 0;
};

}  // namespace plait::solve
