// SPDX-License-Identifier: BSD-3-Clause
// Memory that the ranks of a node share, with a channel for each message between two of them.
#include "solve/halo/window.hpp"

#include <cstring>
#include <utility>

namespace plait::solve {
namespace {

std::size_t aligned(std::size_t bytes) {
  constexpr std::size_t unit = SharedChannel::alignment;
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

bool HaloWindow::allocate(std::vector<Partner> partners) {
  // Layout of each rank's memory: offsets of its channels by the other rank, then the channels.
  const auto ranks = static_cast<std::size_t>(node_.size());
  std::size_t bytes = aligned(ranks * sizeof(std::uint64_t));
  for (const Partner& partner : partners) bytes += SharedChannel::bytes(partner.message_bytes);
  bytes += SharedChannel::alignment;  // the library may align less strictly
  if (partners.empty()) bytes = 0;
  if (!node_.allocate(bytes)) return false;
  int rank = 0;
  MPI_Comm_rank(comm_, &rank);
  if (bytes > 0) {
    std::byte* own = node_.part(rank);
    const auto misaligned = reinterpret_cast<std::uintptr_t>(own) % SharedChannel::alignment;
    std::uint64_t place = aligned(ranks * sizeof(std::uint64_t)) +
                          (SharedChannel::alignment - misaligned) % SharedChannel::alignment;
    for (Partner& partner : partners) {
      const auto entry = static_cast<std::size_t>(node_.node_rank(partner.rank));
      std::memcpy(own + entry * sizeof place, &place, sizeof place);
      partner.to = SharedChannel(own + place, partner.message_bytes);
      place += SharedChannel::bytes(partner.message_bytes);
    }
  }
  node_.synchronize();
  for (Partner& partner : partners) {
    std::byte* base = node_.part(partner.rank);
    std::uint64_t place = 0;
    std::memcpy(&place, base + static_cast<std::size_t>(node_.node_rank(rank)) * sizeof place,
                sizeof place);
    partner.from = SharedChannel(base + place, partner.message_bytes);
  }
  partners_ = std::move(partners);
  return true;
}

}  // namespace plait::solve
