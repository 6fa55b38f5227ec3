// SPDX-License-Identifier: BSD-3-Clause
// The redistribution of arrays from one cut axis to another, as a whole or in chunks.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "plait/schedule.hpp"
#include "plait/transpose_array.hpp"
#include "plait/transpose_shape.hpp"

namespace plait {

namespace solve {
class TransposePipeline;
}

/// How the elements of a transpose travel.
enum class TransposeTransport {
  automatic,       ///< the fastest, measured when the transpose is created; the same on all ranks
  alltoallv,       ///< packed, MPI_Ialltoallv
  alltoallw,       ///< MPI derived datatypes on the arrays, MPI_Ialltoallw; not packed
  point_to_point,  ///< packed, MPI_Irecv and MPI_Isend
  shared_memory,   ///< read from the other ranks' arrays in an MPI shared window within a node;
                   ///< point_to_point between nodes
};

/// The name, for example "point_to_point".
std::string to_string(TransposeTransport transport);
/// Reads a name. @throws Error that lists the accepted names
TransposeTransport parse_transpose_transport(const std::string& text);

/// A plan for redistributing arrays that are cut along one axis so that they are cut along another:
/// slabs, or pencils by two plans on the communicators of rows and columns.
///
/// Simple use: transpose(from, to). Overlapping use: begin(), then start() and finish() for each
/// chunk, with computation between them; several chunks may be under way. A TransposeStepper does
/// that under a schedule. A chunk is a part of the planes perpendicular to the chunk axis, see
/// planes(). All ways give the same bits.
class Transpose {
public:
  struct Options {
    int chunks = 1;
    int chunk_axis = -1;  ///< 0, 1 or 2; each block along it is divided into the chunks. -1: the
                          ///< axis that is cut neither before nor after
    TransposeTransport transport = TransposeTransport::automatic;
    bool in_source_memory = false;  ///< the sources will be the arrays of source_memory(), which
                                    ///< shared_memory reads in place; it copies others there first
    Wait wait = Wait::automatic;    ///< of finish() and transpose()
    /// A transpose that this one takes back, chunk by chunk, with no more fields. Its buffers serve
    /// both if they suffice: a chunk of one must be finished before the same chunk of the other is
    /// started, as in a step of a TransposeStepper. Used in the constructor only.
    const Transpose* buffers_of = nullptr;
    /// The largest count that MPI is given. Tests set less.
    std::int64_t largest_count = std::numeric_limits<int>::max();
  };

  /// In place of the number of a chunk: all chunks at once.
  static constexpr int whole = -1;

  /// Collective over `comm`, which is duplicated.
  /// @throws CollectiveError if the shape is invalid or differs between ranks, or this MPI or
  ///         system does not support the transport
  Transpose(MPI_Comm comm, const TransposeShape& shape, const Options& options);
  Transpose(MPI_Comm comm, const TransposeShape& shape) : Transpose(comm, shape, Options{}) {}
  /// Collective. Waits for chunks under way, whose arrays must still exist. While an error unwinds
  /// the stack, it neither waits for other ranks nor frees memory shared with them.
  ~Transpose();
  Transpose(const Transpose&) = delete;
  Transpose& operator=(const Transpose&) = delete;

  /// Moves all elements. Collective; packs and unpacks with all OpenMP threads.
  /// @param from  this rank's source arrays, one per field, with the layout of source()
  /// @param to    its destinations, with the layout of destination(); must not overlap the sources
  /// @throws Error if the number of arrays is not the planned one, or a chunk is under way. Local.
  ///         CollectiveError in verify mode if an element is wrong
  void transpose(std::span<const void* const> from, std::span<void* const> to);
  void transpose(const void* from, void* to) { transpose(std::span(&from, 1), std::span(&to, 1)); }

  /// Sets the arrays of the next transpose. Local. Arrays as for transpose().
  void begin(std::span<const void* const> from, std::span<void* const> to);
  template <class From, class To>
  requires(!std::is_pointer_v<From> && !std::is_pointer_v<To>) void begin(const From* from,
                                                                          To* to) {
    const void* const source = from;
    void* const target = to;
    begin(std::span(&source, 1), std::span(&target, 1));
  }
  /// Sends a chunk, whose source planes must be complete. They must not be changed until finish(),
  /// and the destination's planes must not be used. Collective: chunks in the same order on all
  /// ranks, each once after begin().
  /// @param chunk  0 to chunks() - 1, or `whole`
  /// @throws Error if the transpose with the same buffers has not finished the chunk. Local
  void start(int chunk);
  /// Lets MPI progress. Returns whether finish() of a started chunk would not wait for messages.
  bool test(int chunk);
  /// Completes a chunk: its planes of the destinations are valid, and those of the sources may be
  /// changed. Collective, in any order that is the same on all ranks.
  void finish(int chunk);

  /// The steps of a chunk, in this order, for schedules:
  /// - pack(): copies one part of what is sent. Once per part, from any threads at the same time.
  /// - send(): sends the packed messages, after all parts.
  /// - copy_own(): copies one part of what stays on this rank; like pack().
  /// - test(): as above. wait(): blocks inside MPI until test() is true.
  /// - unpack(): fills one part of the destination; like pack().
  /// - acknowledge(): says that other ranks may change what this rank has unpacked; after all
  /// parts.
  /// - released(): returns whether this rank's sources may be changed. If so, the chunk has ended.
  /// send, test, wait, acknowledge and released call MPI: from one thread at a time, which must be
  /// the main thread unless MPI_THREAD_SERIALIZED was granted.
  void pack(int chunk, int part, int parts);
  void send(int chunk);
  void copy_own(int chunk, int part, int parts);
  void wait(int chunk);
  void unpack(int chunk, int part, int parts);
  void acknowledge(int chunk);
  bool released(int chunk);

  [[nodiscard]] MPI_Comm comm() const;
  [[nodiscard]] const TransposeShape& shape() const;
  [[nodiscard]] int chunks() const;
  /// 0, 1 or 2; never -1.
  [[nodiscard]] int chunk_axis() const;
  /// The transport in use; never automatic.
  [[nodiscard]] TransposeTransport transport() const;
  [[nodiscard]] const TransposeArray& source() const;
  [[nodiscard]] const TransposeArray& destination() const;
  /// The planes of a chunk (or of the whole) that travel: ranges of indices along the chunk axis of
  /// this rank's source or destination array. Transforms along the other axes can work on them
  /// before start() and after finish().
  [[nodiscard]] std::vector<IndexRange> source_planes(int chunk) const;
  [[nodiscard]] std::vector<IndexRange> destination_planes(int chunk) const;
  /// Memory for a source array, zero at first, aligned to cache lines: with shared_memory in the
  /// window, otherwise on the heap, allocated at the first call. Valid as long as the transpose.
  /// @param field  0 to the number of fields - 1
  [[nodiscard]] void* source_memory(int field);
  /// Bytes that this rank sends to others: in total, and to other nodes.
  [[nodiscard]] std::int64_t bytes() const;
  [[nodiscard]] std::int64_t cross_node_bytes() const;
  /// Bytes of this rank's message buffers, without those of another transpose, and of its part of
  /// the window.
  [[nodiscard]] std::int64_t buffer_bytes() const;
  /// Number of transposes that verify mode (PLAIT_VERIFY=1 on any rank) has compared with a
  /// blocking one. Local.
  [[nodiscard]] std::int64_t verified() const;
  /// Compares destinations bit by bit with those of a blocking transpose in scratch memory.
  /// Collective. @return number of elements of this rank that differ
  [[nodiscard]] std::int64_t unlike_blocking(std::span<const void* const> from,
                                             std::span<const void* const> to) const;

private:
  friend class solve::TransposePipeline;  // verifies chunks before work changes them
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

}  // namespace plait
