// SPDX-License-Identifier: BSD-3-Clause
// MPI messages between two ranks, as a channel of exchange.hpp.
#pragma once

#include <cstddef>

#include "mpi_library.hpp"

namespace plait::measure {

/// Point-to-point messages to and from one partner.
class MpiChannel {
public:
  MpiChannel(const MpiLibrary& mpi, MPI_Comm comm, int partner)
      : mpi_(mpi), comm_(comm), partner_(partner) {}

  void send(const std::byte* from, std::size_t bytes) {
    mpi_.send(from, static_cast<int>(bytes), mpi_.byte, partner_, kMessage, comm_);
  }
  void receive(std::byte* to, std::size_t bytes) {
    mpi_.recv(to, static_cast<int>(bytes), mpi_.byte, partner_, kMessage, comm_, mpi_.no_status);
  }
  void await_reusable() {}  // MPI_Send returns only then
  void signal() { mpi_.send(nullptr, 0, mpi_.byte, partner_, kSignal, comm_); }
  void await_signal() {
    mpi_.recv(nullptr, 0, mpi_.byte, partner_, kSignal, comm_, mpi_.no_status);
  }
  /// Starts a message; finish() waits for it.
  void start_send(const std::byte* from, std::size_t bytes, MPI_Request& request) {
    mpi_.isend(from, static_cast<int>(bytes), mpi_.byte, partner_, kMessage, comm_, &request);
  }
  void start_receive(std::byte* to, std::size_t bytes, MPI_Request& request) {
    mpi_.irecv(to, static_cast<int>(bytes), mpi_.byte, partner_, kMessage, comm_, &request);
  }
  void finish(MPI_Request& request) { mpi_.wait(&request, mpi_.no_status); }
  void exchange(const std::byte* from, std::byte* to, std::size_t bytes) {
    MPI_Request request{};
    start_send(from, bytes, request);
    receive(to, bytes);
    finish(request);
  }

private:
  static constexpr int kMessage = 1;
  static constexpr int kSignal = 2;
  const MpiLibrary& mpi_;
  MPI_Comm comm_;
  int partner_;
};

}  // namespace plait::measure
