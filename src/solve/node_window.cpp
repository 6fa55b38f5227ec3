// SPDX-License-Identifier: BSD-3-Clause
// Memory that the ranks of a node share.
#include "solve/node_window.hpp"

#include <sys/statvfs.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <map>
#include <numeric>

namespace plait::solve {

std::vector<int> nodes_of_ranks(MPI_Comm comm) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int lowest = rank;
  MPI_Bcast(&lowest, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  std::vector<int> nodes(static_cast<std::size_t>(size));
  MPI_Allgather(&lowest, 1, MPI_INT, nodes.data(), 1, MPI_INT, comm);
  std::map<int, int> numbers;
  for (int& entry : nodes) {
    entry = numbers.emplace(entry, static_cast<int>(numbers.size())).first->second;
  }
  return nodes;
}

NodeWindow::NodeWindow(MPI_Comm comm, std::span<const int> node_of_rank) {
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

NodeWindow::~NodeWindow() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0 || std::uncaught_exceptions() > 0) return;
  if (window_ != MPI_WIN_NULL) {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  MPI_Comm_free(&node_);
}

int NodeWindow::size() const {
  int ranks = 0;
  MPI_Comm_size(node_, &ranks);
  return ranks;
}

bool NodeWindow::space_for(std::size_t bytes) {
  struct statvfs system {};
  if (statvfs("/dev/shm", &system) != 0) return true;  // the MPI library shares by other means
  return bytes < static_cast<std::size_t>(system.f_bavail) * system.f_frsize;
}

bool NodeWindow::allocate(std::size_t bytes) {
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
  if (bytes > 0) std::memset(own, 0, bytes);
  return true;
}

std::byte* NodeWindow::part(int rank) const {
  if (window_ == MPI_WIN_NULL) return nullptr;
  MPI_Aint size = 0;
  int unit = 1;
  std::byte* base = nullptr;
  MPI_Win_shared_query(window_, node_rank(rank), &size, &unit, static_cast<void*>(&base));
  return base;
}

void NodeWindow::synchronize() const {
  if (window_ == MPI_WIN_NULL) return;
  MPI_Win_sync(window_);
  MPI_Barrier(node_);
  MPI_Win_sync(window_);
}

}  // namespace plait::solve
