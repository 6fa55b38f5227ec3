// SPDX-License-Identifier: BSD-3-Clause
// Exchanges a halo by MPI-4 partitioned communication, and checks that it works here.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "plait/halo.hpp"
#include "solve/halo/copy.hpp"
#include "solve/schedules/stepper_job.hpp"

namespace plait::solve {

/// The known fault in partitioned communication of the MPI library of this name
/// (MPI_Get_library_version), which must not even be probed; empty if none is known.
std::string known_partitioned_fault(const std::string& library);

/// Checks that partitioned communication works here: the library implements it, is not known to
/// hang, and exchanges messages with two partners within a time limit. Collective.
/// @throws CollectiveError otherwise
void require_partitioned(MPI_Comm comm);

/// Partitioned requests for the messages of a halo, with their own buffers, independent of the
/// halo's transport. Each request is tested separately, and there are none at the ends of the grid:
/// MPI_Testall and MPI_PROC_NULL fail with partitioned requests in MPI libraries of 2025.
class PartitionedExchange {
public:
  /// Collective. The halo must outlive this object, and require_partitioned() must have passed.
  explicit PartitionedExchange(const Halo& halo);
  ~PartitionedExchange();
  PartitionedExchange(const PartitionedExchange&) = delete;
  PartitionedExchange& operator=(const PartitionedExchange&) = delete;

  /// The steps of an exchange, as in Halo. pack_and_send() combines two of them and is called by
  /// one thread: each message is sent once its last partition is packed, while the next one is
  /// packed.
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

  // Some of these are unused without MPI 4.
  [[maybe_unused]] const Halo& halo_;
  [[maybe_unused]] MPI_Comm comm_ = MPI_COMM_NULL;
  [[maybe_unused]] std::size_t fields_ = 0;
  std::vector<std::byte> buffer_;
  std::vector<std::byte*> pack_memory_;  ///< fields, then outgoing messages
  std::vector<std::byte*> unpack_memory_;
  std::vector<Message> messages_;
  CopyList unpack_;
};

/// Like nonblocking, with the halo's messages in partitions.
void run_partitioned(const StepJob& job, PartitionedExchange& exchange);

}  // namespace plait::solve
