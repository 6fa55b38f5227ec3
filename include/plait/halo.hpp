// SPDX-License-Identifier: BSD-3-Clause
// The exchange of ghost layers between neighbouring ranks.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plait/box.hpp"
#include "plait/cartesian_grid.hpp"
#include "plait/field.hpp"
#include "plait/side.hpp"

namespace plait {

namespace solve {
class PartitionedExchange;
}

/// How messages are sent.
enum class Transport {
  automatic,       ///< shared_memory if neighbours share a node and every node supports shared
                   ///< windows, otherwise persistent; the same on all ranks
  point_to_point,  ///< MPI_Irecv, MPI_Isend
  persistent,      ///< MPI_Recv_init, MPI_Send_init, MPI_Startall
  neighborhood,    ///< MPI_Ineighbor_alltoallw on a graph communicator
  shared_memory,   ///< an MPI shared window within a node, persistent requests between nodes
};

/// How cells are packed into messages.
enum class Packing {
  automatic,  ///< the faster of the two, measured when the halo is created; each rank decides alone
  threads,    ///< copied into a buffer by the participating threads
  datatypes,  ///< MPI derived datatypes on the field's own memory
};

/// The name, for example "point_to_point".
std::string to_string(Transport transport);
std::string to_string(Packing packing);
/// Reads a name. @throws Error that lists the accepted names
Transport parse_transport(const std::string& text);
Packing parse_packing(const std::string& text);

/// A plan for exchanging the ghosts of one or several fields of equal layout with all neighbours.
/// It runs one exchange at a time.
///
/// Simple use: exchange(field). Overlapping use: start(field), compute, finish(). Schedules use the
/// steps begin, pack, send, test or wait, and unpack.
class Halo {
public:
  struct Options {
    int width = 0;                   ///< ghost layers to fill; 0: all that the fields have
    bool edges_and_corners = false;  ///< also fill the ghosts at edges and corners
    Transport transport = Transport::automatic;
    Packing packing = Packing::automatic;
    std::array<Side, 6> sides{};  ///< x low, x high, y low, y high, z low, z high
  };

  /// Collective over grid.comm(). Keeps a reference to the grid.
  /// @param layout  views of the fields that one exchange moves. Only their layout matters: an
  ///                exchange accepts other fields of the same layout, so fields can be swapped.
  /// @throws CollectiveError if a box is thinner than the width, a layout does not fit the grid, or
  ///         this MPI or system does not support the transport
  Halo(const CartesianGrid& grid, std::span<const FieldView> layout, const Options& options);
  Halo(const CartesianGrid& grid, std::initializer_list<FieldView> layout, const Options& options)
      : Halo(grid, std::span(layout.begin(), layout.size()), options) {}
  Halo(const CartesianGrid& grid, const FieldView& layout, const Options& options)
      : Halo(grid, std::span(&layout, 1), options) {}
  Halo(const CartesianGrid& grid, const FieldView& layout) : Halo(grid, layout, Options{}) {}
  /// Collective over the ranks of a node. Ends an exchange in progress. While an error unwinds the
  /// stack, it neither waits for other ranks nor frees memory shared with them.
  ~Halo();
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;

  /// Fills the ghosts of the fields: start() and finish(). Collective over the neighbours; packs
  /// and unpacks with all OpenMP threads.
  /// @throws Error if the layout of the fields is not the planned one or the last exchange has not
  ///         finished. Local.
  void exchange(std::span<const FieldView> fields);
  void exchange(const FieldView& field) { exchange(std::span(&field, 1)); }

  /// The two halves of exchange(). Between them, own cells may be read but not written, ghosts must
  /// not be used, and the fields must stay allocated. finish() without start() is an Error.
  void start(std::span<const FieldView> fields);
  void start(const FieldView& field) { start(std::span(&field, 1)); }
  void finish();

  /// The steps of one exchange, in this order:
  /// - begin(): sets the fields (whose views are copied) and posts the receives.
  /// - pack(part, parts): copies one part of the cells to send. Call it once per part, from any
  ///   threads at the same time.
  /// - send(): sends the packed messages, after all parts.
  /// - test(): lets MPI progress; returns whether all messages have arrived and been sent. May be
  ///   called again after it has returned true. wait(): blocks inside MPI until test() is true.
  /// - unpack(part, parts): fills ghosts from messages and mirrored sides; once per part, from any
  ///   threads at the same time.
  /// begin, send, test and wait call MPI: from one thread at a time, which must be the main thread
  /// unless MPI_THREAD_SERIALIZED was granted.
  void begin(std::span<const FieldView> fields);
  void pack(int part, int parts);
  void send();
  bool test();
  void wait();
  void unpack(int part, int parts);

  [[nodiscard]] const CartesianGrid& grid() const;
  [[nodiscard]] int width() const;
  /// The transport and packing in use; never automatic.
  [[nodiscard]] Transport transport() const;
  [[nodiscard]] Packing packing() const;
  /// Own cells, in local indices.
  [[nodiscard]] Box own() const;
  /// Own cells whose update, with a stencil as wide as the halo, needs no ghost of a neighbour and
  /// no mirrored ghost; may be empty. Sides that are open and fixed need no margin. Local indices.
  [[nodiscard]] Box interior() const;
  /// The own cells outside interior() as at most six disjoint boxes, in local indices.
  [[nodiscard]] std::vector<Box> boundary() const;
  /// Number of ranks that this rank sends to; includes itself if an axis is periodic.
  [[nodiscard]] int neighbours() const;
  /// Bytes that this rank sends in one exchange: in total, and to other nodes.
  [[nodiscard]] std::int64_t bytes() const;
  [[nodiscard]] std::int64_t cross_node_bytes() const;
  /// Number of messages that this rank sends to other nodes in one exchange.
  [[nodiscard]] int cross_node_messages() const;
  /// Compares the ghosts of the fields bit by bit with those of a blocking exchange on scratch
  /// memory. Collective. @return number of this rank's ghosts in `fields` that differ
  [[nodiscard]] std::int64_t unlike_blocking(std::span<const FieldView> fields) const;

private:
  friend class solve::PartitionedExchange;  // sends the same messages by other means
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

}  // namespace plait
