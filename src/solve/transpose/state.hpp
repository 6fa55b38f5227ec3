// SPDX-License-Identifier: BSD-3-Clause
// The plan of a Transpose: its geometry, buffers, copies and transport, and what is under way.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "plait/transpose.hpp"
#include "solve/schedules/core_ownership.hpp"
#include "solve/schedules/wait.hpp"
#include "solve/transpose/copies.hpp"
#include "solve/transpose/messages.hpp"
#include "solve/transpose/plan.hpp"
#include "solve/transpose/window.hpp"

namespace plait {

struct Transpose::Plan {
  /// The steps of Transpose's constructor. Collective. @throws CollectiveError
  Plan(MPI_Comm the_comm, const TransposeShape& shape, const Options& the_options);
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  /// Chooses the route to each rank, and creates the window if there is one. Collective.
  void choose_routes();
  void allocate_buffers();
  /// Uses the buffers of the transpose that this one takes back. Returns whether they suffice.
  [[nodiscard]] bool share_buffers(const Plan& other);
  void make_messages();
  [[nodiscard]] TransposeArray array(solve::Side side, const Cut& cut) const;
  /// The number of a chunk's set. @throws Error if there is no such chunk
  [[nodiscard]] std::size_t set_of(int chunk) const;
  [[nodiscard]] int chunk_of(std::size_t set) const {
    return set + 1 == sets.size() ? whole : static_cast<int>(set);
  }
  /// Runs copies with all OpenMP threads if that is faster and the caller is not in a team.
  void run(const solve::StridedCopies& copies) const;
  /// In verify mode, keeps what a chunk has brought, before work changes it. Local.
  void keep(int chunk);
  /// In verify mode, keeps a chunk of the sources that a later transpose overwrites. Local.
  void keep_sources(int chunk);
  /// Copies planes of the array of a side.
  void copy_planes(const TransposeArray& array, const std::vector<IndexRange>& planes,
                   std::byte* from, std::vector<std::byte>& to) const;
  /// True if two sets use the same part of the buffers.
  [[nodiscard]] bool meets(std::size_t set, std::size_t other) const {
    return set == other || set + 1 == sets.size() || other + 1 == sets.size();
  }
  /// In verify mode, compares what was kept once all chunks have come. Collective.
  /// @throws CollectiveError if an element differs
  void verify_kept(const std::string& how);

  enum class Stage { none, started, finished };
  struct Set {
    solve::TransposeCopies copies;
    Stage stage = Stage::none;
  };

  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm verify_comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  std::vector<int> node_of_rank;
  Options options;
  solve::TransposeGeometry geometry;
  TransposeArray source, destination;
  solve::NodeCores cores;
  bool verifies = false;

  std::vector<solve::Route> route;  ///< to each rank
  std::unique_ptr<solve::TransposeWindow> window;
  std::shared_ptr<std::byte[]> buffer;  ///< perhaps that of another transpose
  std::int64_t buffer_bytes = 0;        ///< of its own
  /// For each set, whose chunk is in the buffer; nullptr: none.
  std::shared_ptr<std::vector<const Plan*>> buffer_users;
  solve::TransposeRoutes routes;
  std::unique_ptr<solve::TransposeMessages> messages;
  std::vector<Set> sets;                                    ///< the chunks, then the whole
  std::vector<std::byte*> memory;                           ///< as numbered by MemoryIndex
  std::vector<std::unique_ptr<std::byte[]>> source_arrays;  ///< source_memory() without a window
  bool shares = false;  ///< the sources are not in the window, and are copied there
  bool begun = false;
  solve::Waiter waiter;

  std::vector<std::vector<std::byte>> kept;  ///< in verify mode: the destinations as they came
  std::vector<bool> overwritten;             ///< sources that a later transpose of a step changes
  std::vector<std::vector<std::byte>> kept_sources;  ///< in verify mode: these, as they were sent
  int kept_chunks = 0;
  std::int64_t verified = 0;
};

namespace solve {

/// The transport that was fastest on scratch arrays of this shape. Collective.
TransposeTransport fastest_transport(MPI_Comm comm, const TransposeShape& shape,
                                     const Transpose::Options& options);

/// Sends and receives plain bytes between scratch arrays, for verify mode; see verify.cpp.
std::int64_t unlike_plain_transpose(const TransposeGeometry& geometry, MPI_Comm comm, int rank,
                                    const Long3& from_strides, const Long3& to_strides,
                                    std::span<const void* const> from,
                                    std::span<const void* const> to);

}  // namespace solve
}  // namespace plait
