// SPDX-License-Identifier: BSD-3-Clause
// The interface of the transports of a transpose's messages, and functions that create them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "solve/transpose/datatypes.hpp"
#include "solve/transpose/plan.hpp"

namespace plait::solve {

/// The packed messages of a chunk or of the whole, by rank; offsets are in elements, from the
/// beginning of the buffers. A rank that is reached by other means has 0 elements.
struct PackedMessages {
  std::vector<std::int64_t> send_elements, send_offset;
  std::vector<std::int64_t> receive_elements, receive_offset;
};

/// Everything that transports need to know of a transpose. A set is a chunk, or the whole as the
/// last set.
struct TransposeRoutes {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  int fields = 1;
  std::size_t element_bytes = 0;
  std::int64_t largest_count = 0;
  std::vector<PackedMessages> sets{};
  std::byte* send_buffer = nullptr;
  std::byte* receive_buffer = nullptr;

  [[nodiscard]] std::byte* outgoing(std::size_t set, std::size_t to) const {
    return send_buffer + sets[set].send_offset[to] * static_cast<std::int64_t>(element_bytes);
  }
  [[nodiscard]] std::byte* incoming(std::size_t set, std::size_t from) const {
    return receive_buffer +
           sets[set].receive_offset[from] * static_cast<std::int64_t>(element_bytes);
  }
};

/// Moves the messages of sets. Each function is called by one thread at a time.
class TransposeMessages {
public:
  TransposeMessages() = default;
  virtual ~TransposeMessages() = default;
  TransposeMessages(const TransposeMessages&) = delete;
  TransposeMessages& operator=(const TransposeMessages&) = delete;

  /// Sends a set and posts its receives.
  virtual void send(std::size_t set) = 0;
  /// True if all messages of a sent set have arrived and been sent.
  virtual bool test(std::size_t set) = 0;
  /// Returns once test() would return true.
  virtual void wait(std::size_t set) = 0;
  /// Says that this rank has unpacked a set.
  virtual void unpacked(std::size_t /*set*/) {}
  /// True if all ranks have unpacked what this rank has sent, so that sources may be changed.
  virtual bool released(std::size_t /*set*/) { return true; }
};

/// One MPI_Ialltoallv per set; point to point if a count or an offset of the set is too large on
/// any rank. Collective. All transports keep a reference to the routes.
std::unique_ptr<TransposeMessages> make_alltoallv(const TransposeRoutes& routes);
/// MPI_Irecv and MPI_Isend, beginning with the next rank.
std::unique_ptr<TransposeMessages> make_point_to_point(const TransposeRoutes& routes);
/// One MPI_Ialltoallw per field and set, on the arrays themselves.
/// @param memory   the addresses of the source arrays, then those of the destinations, as they are
///                 when a set is sent
/// @param from_strides, to_strides  of the arrays, in elements
std::unique_ptr<TransposeMessages> make_alltoallw(const TransposeRoutes& routes,
                                                  const TransposeGeometry& geometry,
                                                  const std::vector<std::byte*>& memory,
                                                  const Long3& from_strides,
                                                  const Long3& to_strides);

class TransposeWindow;
/// Signals in the window to the ranks of the node; `elsewhere` sends to the others.
std::unique_ptr<TransposeMessages> make_signals(const TransposeRoutes& routes,
                                                TransposeWindow& window,
                                                std::unique_ptr<TransposeMessages> elsewhere);

}  // namespace plait::solve
