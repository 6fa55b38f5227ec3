// SPDX-License-Identifier: BSD-3-Clause
// How a halo's messages travel: the interface of the transports, and how each is made.
#pragma once

#include <mpi.h>

#include <memory>
#include <span>

#include "plait/field.hpp"
#include "solve/halo_ends.hpp"
#include "solve/halo_window.hpp"

namespace plait::solve {

/// Moves the messages of one exchange at a time. Each function is called by one thread at a time.
class HaloTransport {
public:
  HaloTransport() = default;
  virtual ~HaloTransport() = default;
  HaloTransport(const HaloTransport&) = delete;
  HaloTransport& operator=(const HaloTransport&) = delete;

  /// Makes ready for messages from and to these fields; the buffers may then be filled.
  virtual void begin(std::span<const FieldView> fields) = 0;
  /// Hands all messages over.
  virtual void send() = 0;
  /// Whether all messages have come and all have gone; true from then on until begin().
  virtual bool test() = 0;
  /// Returns when test() would be true.
  virtual void wait() = 0;
};

/// MPI_Irecv and MPI_Isend. These keep references to `ends`, which must outlive them.
std::unique_ptr<HaloTransport> make_point_to_point(MPI_Comm comm, MessageEnds& ends);
/// MPI_Recv_init and MPI_Send_init, once for each set of ends.
std::unique_ptr<HaloTransport> make_persistent(MPI_Comm comm, MessageEnds& ends);
/// MPI_Ineighbor_alltoallw on a graph communicator. Collective over comm.
std::unique_ptr<HaloTransport> make_neighborhood(MPI_Comm comm, MessageEnds& ends);
/// Channels of the window, which must outlive this: partner i has the message messages[i], whose
/// slots are put into outgoing and incoming at each begin().
/// @param elsewhere  for all other messages; may be null
std::unique_ptr<HaloTransport> make_shared_memory(const HaloWindow& window,
                                                  std::span<const std::size_t> messages,
                                                  std::span<std::byte*> outgoing,
                                                  std::span<std::byte*> incoming,
                                                  std::unique_ptr<HaloTransport> elsewhere);

}  // namespace plait::solve
