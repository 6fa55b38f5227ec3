// SPDX-License-Identifier: BSD-3-Clause
// Messages from the first of their two sides until both are done, found by what they match.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/trace.hpp"

namespace plait::replay {

/// What a send and a receive must agree on. `space` keeps collectives' own messages apart.
struct Envelope {
  std::uint32_t source = 0, destination = 0, tag = 0, space = 0;
  friend bool operator==(const Envelope&, const Envelope&) = default;
};

/// A message, or one side of it that waits for the other.
struct Transfer {
  Envelope envelope;
  std::uint64_t bytes = 0;
  double time = 0;                      ///< of the first side; once it is there: when it came
  std::uint32_t sender = trace::kNone;  ///< whom to tell when each side is done, see Target
  std::uint32_t receiver = trace::kNone;
  std::uint32_t next = trace::kNone;  ///< in a bucket, a list of those that wait, or of free ones
  bool eager = false;
  bool sent = false, received = false, delivered = false;  ///< posted; arrived before its receive
};

/// Pool and hash table of transfers. A side that finds none of its envelope waits in the table; the
/// other side takes it out, the oldest first (non-overtaking: MPI-4.1, section 3.5).
class Transfers {
public:
  Transfers() : buckets_(64, trace::kNone) {}

  Transfer& operator[](std::uint32_t index) { return pool_[index]; }

  /// The oldest sent transfer of that envelope; taken out of the table. kNone: there is none.
  std::uint32_t take_sent(const Envelope& envelope) { return take(envelope, true); }
  /// The oldest posted receive.
  std::uint32_t take_received(const Envelope& envelope) { return take(envelope, false); }

  /// A new transfer, not in the table.
  std::uint32_t make(const Envelope& envelope);
  /// Lets it wait in the table for its other side.
  void wait(std::uint32_t index);
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
