// SPDX-License-Identifier: BSD-3-Clause
// What a Halo knows: its geometry, messages, copies and transport.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "plait/error.hpp"
#include "plait/halo.hpp"
#include "solve/halo_copy.hpp"
#include "solve/halo_ends.hpp"
#include "solve/halo_messages.hpp"
#include "solve/halo_transport.hpp"

namespace plait {

struct Halo::Plan {
  /// Collective; the steps of the constructor. @throws CollectiveError
  Plan(const CartesianGrid& the_grid, std::span<const FieldView> the_layout,
       const Options& the_options);
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  /// Still without anything; so that the destructor runs when the other constructor throws.
  explicit Plan(const CartesianGrid& the_grid) : grid(the_grid) {}
  /// Fills `shape` and `messages`. Local. @return what is wrong on this rank
  std::optional<Error> shape_messages();
  /// Settles the transport: shares memory where it is asked for, or wanted and to be had.
  void choose_transport();
  /// Settles the packing, and makes buffers, copies and the transport.
  void make_transport();
  /// Whether datatypes are packed faster here than our copies. Local.
  [[nodiscard]] bool datatypes_are_faster();
  /// Buffers for the messages in `mpi_messages`.
  void allocate_buffers();
  /// @throws Error unless an exchange of these fields was planned. Local.
  void require_planned(std::span<const FieldView> fields) const;
  /// Runs copies by all OpenMP threads where that pays and the caller is not one of a team.
  static void run(const solve::CopyList& copies, std::span<std::byte* const> memory);

  /// Whether another rank is on this rank's node.
  [[nodiscard]] bool on_node(int rank) const {
    const std::vector<int>& nodes = grid.node_of_rank();
    return nodes[static_cast<std::size_t>(rank)] == nodes[static_cast<std::size_t>(shape.rank)];
  }
  /// The addresses that copies of the message with this index use.
  [[nodiscard]] std::byte*& outgoing(std::size_t m) { return pack_memory[layout.size() + m]; }
  [[nodiscard]] std::byte*& incoming(std::size_t m) { return unpack_memory[layout.size() + m]; }

  const CartesianGrid& grid;
  Options options;
  std::vector<FieldView> layout;
  solve::HaloShape shape;
  std::vector<solve::HaloMessage> messages;
  std::vector<std::size_t> mpi_messages;     ///< those of `messages` that go through MPI
  std::vector<std::size_t> shared_messages;  ///< the others, through `window`

  MPI_Comm comm = MPI_COMM_NULL;  ///< the halo's own
  std::vector<std::byte> buffer;
  std::vector<std::byte*> pack_memory;    ///< fields, then outgoing messages
  std::vector<std::byte*> unpack_memory;  ///< fields, then incoming messages
  solve::CopyList pack;
  solve::CopyList unpack;
  std::unique_ptr<solve::MessageEnds> ends;
  std::unique_ptr<solve::HaloWindow> window;
  std::unique_ptr<solve::HaloTransport> transport;

  /// How far the exchange is that was begun last.
  enum class Stage { ended, begun, sent };
  Stage stage = Stage::ended;
  bool to_be_finished = false;  ///< start() has been called, finish() not yet
};

}  // namespace plait
