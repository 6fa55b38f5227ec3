// SPDX-License-Identifier: BSD-3-Clause
// Memory that the ranks of a node share, with a channel for each message between two of them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "solve/halo/shared_channel.hpp"
#include "solve/node_window.hpp"

namespace plait::solve {

/// The ranks that share memory with this rank, and the channels to them.
class HaloWindow {
public:
  /// A message to and from another rank of the node, equally long in both directions.
  struct Partner {
    int rank = 0;  ///< in the communicator given to the constructor
    std::size_t message_bytes = 0;
    SharedChannel to{};
    SharedChannel from{};
  };

  /// Collective over comm. Two ranks share memory if MPI says so and `node_of_rank` has the same
  /// number for both.
  HaloWindow(MPI_Comm comm, std::span<const int> node_of_rank)
      : comm_(comm), node_(comm, node_of_rank) {}

  [[nodiscard]] bool reaches(int rank) const { return node_.reaches(rank); }
  /// Creates the channels to the partners. Collective over the ranks of the node. The two ranks of
  /// a pair must name each other with the same length.
  /// @return false if the system has no memory to share
  bool allocate(std::vector<Partner> partners);
  [[nodiscard]] const std::vector<Partner>& partners() const { return partners_; }

private:
  MPI_Comm comm_;
  NodeWindow node_;
  std::vector<Partner> partners_;
};

}  // namespace plait::solve
