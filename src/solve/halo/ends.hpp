// SPDX-License-Identifier: BSD-3-Clause
// Address, count and datatype of each end of a halo's messages, as MPI needs them.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plait/field.hpp"
#include "solve/halo/messages.hpp"

namespace plait::solve {

/// The arguments that describe a buffer to MPI.
struct MessageEnd {
  void* address = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
};

/// The ends of a rank's messages. Packed ends are buffers of bytes. The others are datatypes on the
/// memory of the fields. They are created again for fields at other addresses, and the last few
/// sets are kept because solvers swap their fields. The two sides of a message may choose
/// differently.
class MessageEnds {
public:
  /// The ends for fields at certain addresses. `number` is never used again for other addresses.
  struct Set {
    std::vector<void*> origins;
    std::vector<MessageEnd> send;
    std::vector<MessageEnd> receive;
    std::uint64_t number = 0;
  };
  /// Number of sets kept: two swapped fields need two, Runge-Kutta schemes a few.
  static constexpr std::size_t kept = 8;

  /// Keeps references to all arguments except `layout`. Describes only the messages in `mine`; if
  /// `packed`, outgoing[m] and incoming[m] are the buffers of message m.
  MessageEnds(const HaloShape& shape, std::span<const FieldView> layout,
              const std::vector<HaloMessage>& messages, std::span<std::byte* const> outgoing,
              std::span<std::byte* const> incoming, const std::vector<std::size_t>& mine,
              bool packed);
  ~MessageEnds();
  MessageEnds(const MessageEnds&) = delete;
  MessageEnds& operator=(const MessageEnds&) = delete;

  /// Returns the index (< kept) of the set for these fields. Creates the set if necessary.
  std::size_t select(std::span<const FieldView> fields);
  [[nodiscard]] const Set& set(std::size_t index) const { return sets_[index]; }
  /// The rank at the other end of message `i` of `mine`.
  [[nodiscard]] int peer(std::size_t i) const { return messages_[mine_[i]].peer.rank; }
  [[nodiscard]] std::size_t size() const { return mine_.size(); }

private:
  void describe(std::span<const FieldView> fields, Set& set) const;
  void release(Set& set) const;
  /// Datatype of several boxes, relative to the origin of the first field.
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
