// SPDX-License-Identifier: BSD-3-Clause
// The plan of a Halo: its geometry, messages, copies and transport.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "plait/error.hpp"
#include "plait/halo.hpp"
#include "solve/halo/copy.hpp"
#include "solve/halo/ends.hpp"
#include "solve/halo/messages.hpp"
#include "solve/halo/transport.hpp"

namespace plait {

struct Halo::Plan {
  /// The steps of Halo's constructor. Collective. @throws CollectiveError
  Plan(const CartesianGrid& the_grid, std::span<const FieldView> the_layout,
       const Options& the_options);
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  /// An empty plan. The constructor above delegates to it, so that the destructor runs if it
  /// throws.
  explicit Plan(const CartesianGrid& the_grid) : grid(the_grid) {}
  /// Fills `shape` and `messages`. Local. @return the fault of the fields on this rank, if any
  std::optional<Error> shape_messages();
  /// Chooses the transport: shared memory if requested, or if automatic and available. Collective.
  void choose_transport();
  /// Chooses the packing, and creates the buffers, the copies and the transport. Collective.
  void make_transport();
  /// True if packing by datatypes is faster here than our copies. Local.
  [[nodiscard]] bool datatypes_are_faster();
  /// Allocates the buffers of `mpi_messages`.
  void allocate_buffers();
  /// @throws Error if no exchange of such fields was planned. Local.
  void require_planned(std::span<const FieldView> fields) const;
  /// Runs copies with all OpenMP threads if that is faster and the caller is not in a team.
  static void run(const solve::CopyList& copies, std::span<std::byte* const> memory);

  /// True if another rank is on this rank's node.
  [[nodiscard]] bool on_node(int rank) const {
    const std::vector<int>& nodes = grid.node_of_rank();
    return nodes[static_cast<std::size_t>(rank)] == nodes[static_cast<std::size_t>(shape.rank)];
  }
  /// The addresses that copies use for message `m`.
  [[nodiscard]] std::byte*& outgoing(std::size_t m) { return pack_memory[layout.size() + m]; }
  [[nodiscard]] std::byte*& incoming(std::size_t m) { return unpack_memory[layout.size() + m]; }

  const CartesianGrid& grid;
  Options options;
  std::vector<FieldView> layout;
  solve::HaloShape shape;
  std::vector<solve::HaloMessage> messages;
  std::vector<std::size_t> mpi_messages;     ///< those of `messages` that go through MPI
  std::vector<std::size_t> shared_messages;  ///< the others, which go through `window`

  MPI_Comm comm = MPI_COMM_NULL;  ///< the halo's own
  std::vector<std::byte> buffer;
  std::vector<std::byte*> pack_memory;    ///< fields, then outgoing messages
  std::vector<std::byte*> unpack_memory;  ///< fields, then incoming messages
  solve::CopyList pack;
  solve::CopyList unpack;
  std::unique_ptr<solve::MessageEnds> ends;
  std::unique_ptr<solve::HaloWindow> window;
  std::unique_ptr<solve::HaloTransport> transport;

  /// Progress of the last exchange.
  enum class Stage { ended, begun, sent };
  Stage stage = Stage::ended;
  bool to_be_finished = false;  ///< start() has been called, finish() not yet
};

}  // namespace plait
