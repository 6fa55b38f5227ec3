// SPDX-License-Identifier: BSD-3-Clause
// Replays collectives as the messages of common algorithms, one round of one member at a time.
#include "replay/collective_rounds.hpp"

#include <algorithm>
#include <bit>

namespace plait::replay {
namespace {

using std::uint32_t;
using std::uint64_t;

// Sizes in bytes at which MPICH 3 switches algorithms (mpir_cvars: *_SHORT_MSG_SIZE).
constexpr uint64_t kBroadcastLong = 12288;
constexpr uint32_t kBroadcastLongMembers = 8;
constexpr uint64_t kReduceShort = 2048;
constexpr uint64_t kAllgatherLong = 81920;
constexpr uint64_t kAlltoallShort = 256;
constexpr uint64_t kReduceScatterLong = 524288;

/// Smallest k with 2^k >= n.
uint32_t ceil_log2(uint32_t n) {
  return static_cast<uint32_t>(std::bit_width(n - 1));
}

/// A member's number relative to the root, as the algorithms use it.
struct Ring {
  uint32_t n, root, v;
  explicit Ring(const Member& member)
      : n(member.members),
        root(member.root),
        v((member.index + member.members - member.root) % member.members) {}
  [[nodiscard]] uint32_t at(uint32_t relative) const { return (relative + root) % n; }
};

/// From the root to the members, largest distance first. `piece` bytes for each member of a subtree
/// (scatter) or for the whole subtree (broadcast).
bool tree_down(const Ring& ring, uint32_t number, uint64_t piece, bool scatter, Round& round) {
  const uint32_t depth = ceil_log2(ring.n);
  if (number >= depth) return false;
  const uint32_t distance = 1U << (depth - 1 - number);
  const uint32_t place = ring.v % (2 * distance);
  if (place == 0 && ring.v + distance < ring.n) {
    const uint32_t child = ring.v + distance;
    round.send_to = ring.at(child);
    round.send_bytes = scatter ? piece * std::min(distance, ring.n - child) : piece;
  } else if (place == distance) {
    round.receive_from = ring.at(ring.v - distance);
  }
  return true;
}

/// From the members to the root, smallest distance first.
bool tree_up(const Ring& ring, uint32_t number, uint64_t piece, bool gather, Round& round) {
  if (number >= ceil_log2(ring.n)) return false;
  const uint32_t distance = 1U << number;
  const uint32_t place = ring.v % (2 * distance);
  if (place == distance) {
    round.send_to = ring.at(ring.v - distance);
    round.send_bytes = gather ? piece * std::min(distance, ring.n - ring.v) : piece;
  } else if (place == 0 && ring.v + distance < ring.n) {
    round.receive_from = ring.at(ring.v + distance);
  }
  return true;
}

bool ring_pass(const Ring& ring, uint32_t number, uint64_t piece, Round& round) {
  if (number + 1 >= ring.n) return false;
  round.send_to = ring.at((ring.v + 1) % ring.n);
  round.receive_from = ring.at((ring.v + ring.n - 1) % ring.n);
  round.send_bytes = piece;
  return true;
}

/// Sends to the member at `distance` and receives from the one at minus `distance`.
void shift(const Ring& ring, uint32_t distance, uint64_t bytes, Round& round) {
  round.send_to = ring.at((ring.v + distance) % ring.n);
  round.receive_from = ring.at((ring.v + ring.n - distance) % ring.n);
  round.send_bytes = bytes;
}

bool dissemination(const Ring& ring, uint32_t number, Round& round) {
  if (number >= ceil_log2(ring.n)) return false;
  shift(ring, 1U << number, 0, round);
  return true;
}

bool pairwise(const Ring& ring, uint32_t number, uint64_t piece, Round& round) {
  if (number + 1 >= ring.n) return false;
  shift(ring, number + 1, piece, round);
  return true;
}

bool bruck_allgather(const Ring& ring, uint32_t number, uint64_t piece, Round& round) {
  if (number >= ceil_log2(ring.n)) return false;
  const uint32_t distance = 1U << number;
  shift(ring, ring.n - distance, piece * std::min(distance, ring.n - distance), round);
  return true;
}

/// How many of the numbers 0..n-1 have the bit set.
uint64_t numbers_with_bit(uint64_t n, uint32_t bit) {
  const uint64_t half = uint64_t{1} << bit;
  const uint64_t rest = n % (2 * half);
  return n / (2 * half) * half + (rest > half ? rest - half : 0);
}

bool bruck_alltoall(const Ring& ring, uint32_t number, uint64_t piece, Round& round) {
  if (number >= ceil_log2(ring.n)) return false;
  shift(ring, 1U << number, piece * numbers_with_bit(ring.n, number), round);
  return true;
}

bool scan(const Ring& ring, uint32_t number, uint64_t bytes, Round& round) {
  if (number >= ceil_log2(ring.n)) return false;
  const uint32_t distance = 1U << number;
  if (ring.v + distance < ring.n) round.send_to = ring.v + distance;
  if (ring.v >= distance) round.receive_from = ring.v - distance;
  round.send_bytes = bytes;
  return true;
}

/// The algorithm among a power of two of members.
enum class Folded { doubling, halving_doubling, halving_gather, halving };

/// Reductions among a power of two of members. Members beyond it send their data to a neighbour
/// first and receive the result last (Thakur et al. 2005, section 4).
bool folded(const Ring& ring, uint32_t number, uint64_t bytes, Folded kind, Round& round) {
  const uint32_t power = std::bit_floor(ring.n);
  const uint32_t levels = ceil_log2(power);
  const uint32_t beyond = ring.n - power;
  const bool pairs = ring.v < 2 * beyond;
  const bool out = pairs && ring.v % 2 == 1;
  const bool twice = kind == Folded::halving_doubling || kind == Folded::halving_gather;
  const uint32_t last = 1 + (twice ? 2 * levels : levels);
  const bool returns = kind != Folded::halving_gather;
  if (number > last || (number == last && !returns)) return false;
  if (number == 0 || number == last) {
    if (!pairs) return true;
    const bool sends = out == (number == 0);
    const uint32_t partner = ring.at(out ? ring.v - 1 : ring.v + 1);
    (sends ? round.send_to : round.receive_from) = partner;
    round.send_bytes = number == last && kind == Folded::halving ? bytes / ring.n : bytes;
    return true;
  }
  if (out) return true;
  const uint32_t own = pairs ? ring.v / 2 : ring.v - beyond;
  const auto member = [&](uint32_t of) { return ring.at(of < beyond ? of * 2 : of + beyond); };
  const uint32_t level = number - 1;
  if (kind == Folded::doubling) {
    round.send_to = round.receive_from = member(own ^ (1U << level));
    round.send_bytes = bytes;
    return true;
  }
  const bool halving = level < levels;
  // Halving goes from the farthest partner to the nearest; the second half goes back.
  const uint32_t distance = halving ? power >> (level + 1) : 1U << (level - levels);
  round.send_bytes = bytes * distance / power;
  if (!halving && kind == Folded::halving_gather) {
    const uint32_t place = own % (2 * distance);
    if (place == distance) round.send_to = member(own - distance);
    if (place == 0) round.receive_from = member(own + distance);
    return true;
  }
  round.send_to = round.receive_from = member(own ^ distance);
  return true;
}

bool broadcast(const Ring& ring, uint32_t number, uint64_t bytes, Round& round) {
  if (bytes < kBroadcastLong || ring.n < kBroadcastLongMembers) {
    return tree_down(ring, number, bytes, false, round);
  }
  const uint32_t scatter = ceil_log2(ring.n);
  if (number < scatter) return tree_down(ring, number, bytes / ring.n, true, round);
  return ring_pass(ring, number - scatter, bytes / ring.n, round);
}

}  // namespace

bool round_of(const Member& member, uint32_t number, Round& round) {
  round = {};
  round.tag = number;
  if (member.members <= 1) return false;
  const Ring from_root(member);
  Member unrooted = member;
  unrooted.root = 0;
  const Ring ring(unrooted);
  const uint64_t bytes = member.bytes;
  const uint64_t piece = bytes / member.members;
  switch (member.pattern) {
    case Pattern::barrier:
      return dissemination(ring, number, round);
    case Pattern::broadcast:
      return broadcast(from_root, number, bytes, round);
    case Pattern::reduce:
      return bytes <= kReduceShort
                 ? tree_up(from_root, number, bytes, false, round)
                 : folded(from_root, number, bytes, Folded::halving_gather, round);
    case Pattern::allreduce:
      return folded(ring, number, bytes,
                    bytes <= kReduceShort ? Folded::doubling : Folded::halving_doubling, round);
    case Pattern::gather:
      return tree_up(from_root, number, bytes, true, round);
    case Pattern::scatter:
      return tree_down(from_root, number, bytes, true, round);
    case Pattern::allgather:
      return bytes * member.members < kAllgatherLong ? bruck_allgather(ring, number, bytes, round)
                                                     : ring_pass(ring, number, bytes, round);
    case Pattern::alltoall:
      return piece <= kAlltoallShort ? bruck_alltoall(ring, number, piece, round)
                                     : pairwise(ring, number, piece, round);
    case Pattern::reduce_scatter:
      return bytes < kReduceScatterLong ? folded(ring, number, bytes, Folded::halving, round)
                                        : pairwise(ring, number, piece, round);
    case Pattern::scan:
      break;
  }
  return scan(ring, number, bytes, round);
}

}  // namespace plait::replay
