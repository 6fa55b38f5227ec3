// SPDX-License-Identifier: BSD-3-Clause
// The exchange of a halo by MPI-4 partitioned communication, and whether it works here.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "plait/halo.hpp"
#include "solve/halo_copy.hpp"
#include "solve/stepper_job.hpp"

namespace plait::solve {

/// Why the MPI library of this name (MPI_Get_library_version) cannot be trusted with partitioned
/// communication, and must not even be probed; empty when it may be.
std::string known_partitioned_fault(const std::string& library);

/// Throws, on all ranks alike, unless partitioned communication works here: the library has it, is
/// none of those that are known to hang, and exchanges messages with two partners within a time
/// limit. Collective.
void require_partitioned(MPI_Comm comm);

/// Partitioned requests for the messages of a halo, with buffers of their own, whatever the halo's
/// transport is. Each request is tested by itself, and ends of the grid have none: MPI_Testall and
/// MPI_PROC_NULL fail with partitioned requests in MPI libraries of 2025.
class PartitionedExchange {
public:
  /// Collective; the halo must outlive this. require_partitioned() has passed.
  explicit PartitionedExchange(const Halo& halo);
  ~PartitionedExchange();
  PartitionedExchange(const PartitionedExchange&) = delete;
  PartitionedExchange& operator=(const PartitionedExchange&) = delete;

  /// The steps of an exchange, as those of Halo; pack_and_send() is both, by one thread: a message
  /// leaves when its last partition has been packed, while the next is.
  void begin(std::span<const FieldView> fields);
  void pack_and_send();
  bool test();
  void wait();
  void unpack(int part, int parts);

private:
  struct Message {
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Request receive = MPI_REQUEST_NULL;
    CopyList pack;
    int partitions = 1;
  };

  // Without MPI 4 there is nothing to use some of these for.
  [[maybe_unused]] const Halo& halo_;
  [[maybe_unused]] MPI_Comm comm_ = MPI_COMM_NULL;
  [[maybe_unused]] std::size_t fields_ = 0;
  std::vector<std::byte> buffer_;
  std::vector<std::byte*> pack_memory_;  ///< fields, then outgoing messages
  std::vector<std::byte*> unpack_memory_;
  std::vector<Message> messages_;
  CopyList unpack_;
};

/// As nonblocking, with the halo's messages in partitions.
void run_partitioned(const StepJob& job, PartitionedExchange& exchange);

}  // namespace plait::solve
