// SPDX-License-Identifier: BSD-3-Clause
// Messages in progress, found by their envelope.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/trace.hpp"

namespace plait::replay {

/// What a send and a receive must agree on. `space` separates the messages of collectives.
struct Envelope {
  std::uint32_t source = 0, destination = 0, tag = 0, space = 0;
  friend bool operator==(const Envelope&, const Envelope&) = default;
};

/// A message, or its first side while it waits for the other.
struct Transfer {
  Envelope envelope;
  std::uint64_t bytes = 0;
  double time = 0;                      ///< of the first side; once delivered: of its arrival
  std::uint32_t sender = trace::kNone;  ///< whom to notify when a side is done (Engine::notify)
  std::uint32_t receiver = trace::kNone;
  std::uint32_t next = trace::kNone;  ///< in a bucket, a list of waiting ones, or the free list
  bool eager = false;
  bool sent = false, received = false,
       delivered = false;  ///< sides posted; arrived before its receive
};

/// Pool and hash table of transfers. A side without a partner waits in the table; the other side
/// takes it out, the oldest first (non-overtaking: MPI-4.1, section 3.5).
class Transfers {
public:
  Transfers() : buckets_(64, trace::kNone) {}

  Transfer& operator[](std::uint32_t index) { return pool_[index]; }

  /// Takes the oldest sent transfer with the envelope out of the table; kNone if there is none.
  std::uint32_t take_sent(const Envelope& envelope) { return take(envelope, true); }
  /// Takes the oldest posted receive likewise.
  std::uint32_t take_received(const Envelope& envelope) { return take(envelope, false); }

  /// Creates a transfer that is not in the table.
  std::uint32_t make(const Envelope& envelope);
  /// Puts the transfer into the table.
  void wait(std::uint32_t index);
  /// Returns the transfer to the pool.
  void release(std::uint32_t index);

private:
  std::uint32_t take(const Envelope& envelope, bool sent);
  [[nodiscard]] std::size_t bucket_of(const Envelope& envelope) const;
  void grow();

  std::vector<Transfer> pool_;
  std::vector<std::uint32_t> buckets_;  ///< newest first; their number is a power of two
  std::uint32_t free_ = trace::kNone;
  std::size_t waiting_ = 0;
};

}  // namespace plait::replay
