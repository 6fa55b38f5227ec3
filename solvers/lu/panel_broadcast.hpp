// SPDX-License-Identifier: BSD-3-Clause
// Broadcasts panels along process rows with the algorithms of HPL, in the background.
#pragma once

#include <mpi.h>

#include <array>
#include <string>
#include <vector>

namespace plait::lu {

/// The algorithms, numbered as in HPL.dat.
enum class BroadcastKind {
  ring,
  ring_modified,
  two_rings,
  two_rings_modified,
  long_,
  long_modified
};

inline constexpr std::array<const char*, 6> kBroadcastNames{
    "ring", "ring-modified", "2-ring", "2-ring-modified", "long", "long-modified"};

/// One broadcast at a time. A rank that forwards the message does so in progress() and wait().
class PanelBroadcast {
public:
  PanelBroadcast(MPI_Comm comm, BroadcastKind kind);

  /// Begins; returns at once. Collective over the process row.
  void start(double* data, std::size_t count, int root);
  /// Forwards what has arrived. @return true if this rank has nothing left to do
  bool progress();
  void wait();

private:
  struct Part {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  /// One message in or out, of the step that it belongs to.
  struct Action {
    bool send = false;
    int peer = 0;
    Part part;
  };

  void plan_tree(int me, int from, const std::vector<int>& chain);
  void plan_long(const std::vector<int>& members);
  void add(std::size_t step, const Action& action);
  void begin_step();
  [[nodiscard]] int rank_of(int relative) const { return (relative + root_) % size_; }

  MPI_Comm comm_;
  BroadcastKind kind_;
  int size_ = 1;
  int me_ = 0;  ///< rank in comm_
  int root_ = 0;
  double* data_ = nullptr;
  std::size_t count_ = 0;
  std::vector<std::vector<Action>> steps_;  ///< each begins when the one before it has ended
  std::size_t step_ = 0;
  std::vector<MPI_Request> requests_;
};

}  // namespace plait::lu
