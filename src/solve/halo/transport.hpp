// SPDX-License-Identifier: BSD-3-Clause
// The interface of the transports of a halo's messages, and functions that create them.
#pragma once

#include <mpi.h>

#include <memory>
#include <span>

#include "plait/field.hpp"
#include "solve/halo/ends.hpp"
#include "solve/halo/window.hpp"

namespace plait::solve {

/// Moves the messages of one exchange at a time. Each function is called by one thread at a time.
class HaloTransport {
public:
  HaloTransport() = default;
  virtual ~HaloTransport() = default;
  HaloTransport(const HaloTransport&) = delete;
  HaloTransport& operator=(const HaloTransport&) = delete;

  /// Prepares an exchange of these fields. The buffers may be filled after it.
  virtual void begin(std::span<const FieldView> fields) = 0;
  /// Sends all messages.
  virtual void send() = 0;
  /// True if all messages have arrived and been sent. Stays true until begin().
  virtual bool test() = 0;
  /// Returns once test() would return true.
  virtual void wait() = 0;
};

/// MPI_Irecv and MPI_Isend. All transports keep a reference to `ends`, which must outlive them.
std::unique_ptr<HaloTransport> make_point_to_point(MPI_Comm comm, MessageEnds& ends);
/// MPI_Recv_init and MPI_Send_init, called once per set of ends.
std::unique_ptr<HaloTransport> make_persistent(MPI_Comm comm, MessageEnds& ends);
/// MPI_Ineighbor_alltoallw on a graph communicator. Collective over comm.
std::unique_ptr<HaloTransport> make_neighborhood(MPI_Comm comm, MessageEnds& ends);
/// The channels of `window`, which must outlive the transport. The message of partner i is
/// messages[i]; begin() puts its slots into outgoing and incoming.
/// @param elsewhere  transport of all other messages; may be null
std::unique_ptr<HaloTransport> make_shared_memory(const HaloWindow& window,
                                                  std::span<const std::size_t> messages,
                                                  std::span<std::byte*> outgoing,
                                                  std::span<std::byte*> incoming,
                                                  std::unique_ptr<HaloTransport> elsewhere);

}  // namespace plait::solve
