// SPDX-License-Identifier: BSD-3-Clause
// The elements of a distributed vector that a sparse product needs from other ranks.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace plait::solve {

/// Neighbours and what is exchanged with them. Elements to receive are in ascending order, so those
/// of a neighbour are contiguous.
class SparseHalo {
public:
  SparseHalo() = default;

  /// Collective.
  /// @param starts  first row of each rank, then the number of rows
  /// @param needed  elements of other ranks, ascending, each once
  SparseHalo(MPI_Comm comm, const std::vector<std::int64_t>& starts,
             const std::vector<std::int64_t>& needed);

  [[nodiscard]] int neighbors() const { return static_cast<int>(sends_.size()); }
  [[nodiscard]] int size() const { return static_cast<int>(received_.size()); }
  [[nodiscard]] const double* received() const { return received_.data(); }

  /// Copies what the `number`-th neighbour to send to needs. Any thread.
  void pack(int number, const double* x);
  /// Starts the receives, or the send of a packed message.
  void begin_receiving(std::vector<MPI_Request>& requests);
  void begin_sending(int number, std::vector<MPI_Request>& requests);

private:
  struct Message {
    int rank = 0;
    int first = 0;  ///< in elements_ and packed_, or in received_
    int count = 0;
  };

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<Message> sends_, receives_;
  std::vector<int> elements_;  ///< to send, of this rank's vector
  std::vector<double> packed_, received_;
};

}  // namespace plait::solve
