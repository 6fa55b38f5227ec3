// SPDX-License-Identifier: BSD-3-Clause
// Memory that the ranks of a node share, with a channel for each message between two of them.
#include "solve/halo/window.hpp"

#include <sys/statvfs.h>

#include <cstring>
#include <exception>
#include <numeric>

namespace plait::solve {
namespace {

std::size_t aligned(std::size_t bytes) {
  constexpr std::size_t unit = SharedChannel::alignment;
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

HaloWindow::HaloWindow(MPI_Comm comm, std::span<const int> node_of_rank) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm said_alike = MPI_COMM_NULL;
  MPI_Comm_split(comm, node_of_rank[static_cast<std::size_t>(rank)], rank, &said_alike);
  MPI_Comm_split_type(said_alike, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node_);
  MPI_Comm_free(&said_alike);
  MPI_Comm_set_errhandler(node_, MPI_ERRORS_RETURN);

  std::vector<int> all(node_of_rank.size());
  std::iota(all.begin(), all.end(), 0);
  node_rank_.resize(all.size());
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group node_group = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &group);
  MPI_Comm_group(node_, &node_group);
  MPI_Group_translate_ranks(group, static_cast<int>(all.size()), all.data(), node_group,
                            node_rank_.data());
  for (int& known : node_rank_) {
    if (known == MPI_UNDEFINED) known = -1;
  }
  MPI_Group_free(&group);
  MPI_Group_free(&node_group);
}

HaloWindow::~HaloWindow() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0 || std::uncaught_exceptions() > 0) return;
  if (window_ != MPI_WIN_NULL) {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  MPI_Comm_free(&node_);
}

bool HaloWindow::space_for(std::size_t bytes) {
  struct statvfs system {};
  if (statvfs("/dev/shm", &system) != 0) return true;  // the MPI library shares by other means
  return bytes < static_cast<std::size_t>(system.f_bavail) * system.f_frsize;
}

bool HaloWindow::allocate(std::vector<Partner> partners) {
  // Layout of each rank's memory: offsets of its channels by the other rank, then the channels.
  int ranks = 0;
  MPI_Comm_size(node_, &ranks);
  std::size_t bytes = aligned(static_cast<std::size_t>(ranks) * sizeof(std::uint64_t));
  for (const Partner& partner : partners) bytes += SharedChannel::bytes(partner.message_bytes);
  bytes += SharedChannel::alignment;  // the library may align less strictly
  if (partners.empty()) bytes = 0;
  std::uint64_t all_bytes = bytes;
  MPI_Allreduce(MPI_IN_PLACE, &all_bytes, 1, MPI_UINT64_T, MPI_SUM, node_);
  if (all_bytes == 0) return true;
  int space = space_for(all_bytes) ? 1 : 0;
  MPI_Bcast(&space, 1, MPI_INT, 0, node_);  // the space may change while the ranks check it
  if (space == 0) return false;

  std::byte* own = nullptr;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");  // each rank's memory on its NUMA domain
  const int failed = MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, info, node_,
                                             static_cast<void*>(&own), &window_);
  MPI_Info_free(&info);
  if (failed != MPI_SUCCESS) {
    window_ = MPI_WIN_NULL;
    return false;
  }
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  if (bytes > 0) {
    std::memset(own, 0, bytes);
    const auto misaligned = reinterpret_cast<std::uintptr_t>(own) % SharedChannel::alignment;
    std::uint64_t place = aligned(static_cast<std::size_t>(ranks) * sizeof(std::uint64_t)) +
                          (SharedChannel::alignment - misaligned) % SharedChannel::alignment;
    for (Partner& partner : partners) {
      const auto entry = static_cast<std::size_t>(node_rank(partner.rank));
      std::memcpy(own + entry * sizeof place, &place, sizeof place);
      partner.to = SharedChannel(own + place, partner.message_bytes);
      place += SharedChannel::bytes(partner.message_bytes);
    }
  }
  MPI_Win_sync(window_);
  MPI_Barrier(node_);
  MPI_Win_sync(window_);
  int rank = 0;
  MPI_Comm_rank(node_, &rank);
  for (Partner& partner : partners) {
    MPI_Aint size = 0;
    int unit = 1;
    std::byte* base = nullptr;
    MPI_Win_shared_query(window_, node_rank(partner.rank), &size, &unit, static_cast<void*>(&base));
    std::uint64_t place = 0;
    std::memcpy(&place, base + static_cast<std::size_t>(rank) * sizeof place, sizeof place);
    partner.from = SharedChannel(base + place, partner.message_bytes);
  }
  partners_ = std::move(partners);
  return true;
}

}  // namespace plait::solve
