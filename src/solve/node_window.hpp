// SPDX-License-Identifier: BSD-3-Clause
// Memory that the ranks of a node share.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

namespace plait::solve {

/// Node of each rank of `comm`, numbered from 0 in order of their lowest rank. Collective.
std::vector<int> nodes_of_ranks(MPI_Comm comm);

/// The ranks that share memory with this rank, and that memory.
class NodeWindow {
public:
  /// Collective over comm. Two ranks share memory if MPI says so and `node_of_rank` has the same
  /// number for both.
  NodeWindow(MPI_Comm comm, std::span<const int> node_of_rank);
  /// Collective over the ranks of the node. Frees nothing while an error unwinds the stack, because
  /// the error may be on this rank alone.
  ~NodeWindow();
  NodeWindow(const NodeWindow&) = delete;
  NodeWindow& operator=(const NodeWindow&) = delete;

  [[nodiscard]] bool reaches(int rank) const { return node_rank(rank) >= 0; }
  /// The number of a rank of comm within the node; negative on other nodes.
  [[nodiscard]] int node_rank(int rank) const { return node_rank_[static_cast<std::size_t>(rank)]; }
  /// Number of ranks of the node.
  [[nodiscard]] int size() const;
  /// Allocates this rank's part, which is zero. Collective over the ranks of the node.
  /// @return false if the system has no memory to share. True without memory if all bytes are 0.
  bool allocate(std::size_t bytes);
  /// The part of a rank of comm on this node, as this rank sees it. Null without memory.
  [[nodiscard]] std::byte* part(int rank) const;
  /// After it, each rank sees what all others have written to the window before it. Collective over
  /// the ranks of the node.
  void synchronize() const;

private:
  /// True if this many bytes can be shared. MPI libraries often do not check and fail by SIGBUS.
  static bool space_for(std::size_t bytes);

  MPI_Comm node_ = MPI_COMM_NULL;
  std::vector<int> node_rank_;
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace plait::solve
