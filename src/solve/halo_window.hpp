// SPDX-License-Identifier: BSD-3-Clause
// Memory that the ranks of a node share, with a channel for each message between two of them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "solve/shared_channel.hpp"

namespace plait::solve {

/// The ranks that share memory with this one, and what they share.
class HaloWindow {
public:
  /// A message to and from another rank of the node, equally long both ways.
  struct Partner {
    int rank = 0;  ///< of the communicator given
    std::size_t message_bytes = 0;
    SharedChannel to{};
    SharedChannel from{};
  };

  /// Collective over comm. Two ranks share memory when MPI says so and `node_of_rank` has the same
  /// number for both.
  HaloWindow(MPI_Comm comm, std::span<const int> node_of_rank);
  /// Collective over the ranks of the node; but frees nothing while an error unwinds the stack,
  /// since a rank may be alone with it.
  ~HaloWindow();
  HaloWindow(const HaloWindow&) = delete;
  HaloWindow& operator=(const HaloWindow&) = delete;

  [[nodiscard]] bool reaches(int rank) const { return node_rank(rank) >= 0; }
  /// Makes the channels to the partners. Collective over the ranks of the node. Each pair of ranks
  /// must name each other, with the same length.
  /// @return false when the system has no memory to share
  bool allocate(std::vector<Partner> partners);
  [[nodiscard]] const std::vector<Partner>& partners() const { return partners_; }

private:
  [[nodiscard]] int node_rank(int rank) const { return node_rank_[static_cast<std::size_t>(rank)]; }
  /// Whether so many bytes can be shared; MPI libraries often find out by a bus error.
  static bool space_for(std::size_t bytes);

  MPI_Comm node_ = MPI_COMM_NULL;
  std::vector<int> node_rank_;  ///< of each rank of comm; negative on other nodes
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<Partner> partners_;
};

}  // namespace plait::solve
