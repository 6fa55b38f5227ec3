// SPDX-License-Identifier: BSD-3-Clause
// The exchange of ghost layers between neighbouring ranks: the plan, and one exchange in flight.
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

/// How messages travel.
enum class Transport {
  automatic,       ///< shared_memory where neighbours share a node and every node has shared
                   ///< windows, else persistent; the same on all ranks
  point_to_point,  ///< MPI_Irecv, MPI_Isend
  persistent,      ///< MPI_Recv_init, MPI_Send_init, MPI_Startall
  neighborhood,    ///< MPI_Ineighbor_alltoallw on a graph communicator
  shared_memory,   ///< inside a node through an MPI shared window, between nodes as persistent
};

/// How the cells of a face get into a message.
enum class Packing {
  automatic,  ///< whichever is faster here, measured when the plan is made; each rank for itself
  threads,    ///< copied into a buffer by the threads that take part
  datatypes,  ///< MPI derived datatypes on the field's own memory
};

/// "automatic", "point_to_point" and so on.
std::string to_string(Transport transport);
std::string to_string(Packing packing);
/// @throws Error that lists what is accepted.
Transport parse_transport(const std::string& text);
Packing parse_packing(const std::string& text);

/// A plan for the exchange of ghosts of one or several fields of equal layout with all neighbours,
/// and one such exchange at a time.
///
/// Simple use: exchange(field). Split use: start(field), compute, finish(). Schedulers use the five
/// steps begin, pack, send, test or wait, unpack.
class Halo {
public:
  struct Options {
    int width = 0;                   ///< ghost layers to fill; 0: as many as the fields have
    bool edges_and_corners = false;  ///< also fill the ghosts at edges and corners
    Transport transport = Transport::automatic;
    Packing packing = Packing::automatic;
    std::array<Side, 6> sides{};  ///< x low, x high, y low, y high, z low, z high
  };

  /// Collective over grid.comm(). Keeps a reference to the grid.
  /// @param layout  a field for each that one exchange moves; only their layout counts. Exchanges
  ///                may be given other fields of the same layout (so fields can be swapped).
  /// @throws CollectiveError when a box is thinner than the width, a layout does not fit the grid,
  ///         or the transport is not to be had in this MPI.
  Halo(const CartesianGrid& grid, std::span<const FieldView> layout, const Options& options);
  Halo(const CartesianGrid& grid, std::initializer_list<FieldView> layout, const Options& options)
      : Halo(grid, std::span(layout.begin(), layout.size()), options) {}
  Halo(const CartesianGrid& grid, const FieldView& layout, const Options& options)
      : Halo(grid, std::span(&layout, 1), options) {}
  Halo(const CartesianGrid& grid, const FieldView& layout) : Halo(grid, layout, Options{}) {}
  /// Collective over the ranks of a node; ends an exchange that is under way. Frees nothing of
  /// theirs, and waits for nobody, while an error unwinds the stack.
  ~Halo();
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;

  /// Fills the ghosts of the fields: start, wait, unpack. Collective over the neighbours; uses all
  /// OpenMP threads to pack.
  /// @throws Error, as start() and begin(), when the fields have another layout than planned, or
  ///         the last exchange has not ended. Local.
  void exchange(std::span<const FieldView> fields);
  void exchange(const FieldView& field) { exchange(std::span(&field, 1)); }

  /// The same in two halves: own cells may be read and ghosts must not be used in between; the
  /// fields must live on. finish() without a start() is an Error.
  void start(std::span<const FieldView> fields);
  void start(const FieldView& field) { start(std::span(&field, 1)); }
  void finish();

  /// The steps of one exchange, in this order. begin(): names the fields (whose views are copied)
  /// and posts the receives. pack(part, parts): copies one part of the cells to be sent; each part
  /// once, by any threads at once. send(): hands the packed messages over; after all parts. test():
  /// lets MPI progress; true when all has arrived and all is sent; may be called again after true.
  /// wait(): the same until true, inside MPI. unpack(part, parts): ghosts from messages and
  /// mirrored sides; each part once, by any threads at once. begin, send, test and wait call MPI:
  /// by one thread at a time, the main one unless MPI_THREAD_SERIALIZED was granted.
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
  /// Own cells, local indices.
  [[nodiscard]] Box own() const;
  /// Own cells whose update, by a stencil as wide as the halo, needs no ghost of a neighbour nor a
  /// mirrored one; may be empty. Sides that are open and fixed need no margin.
  [[nodiscard]] Box interior() const;
  /// The own cells outside interior() as disjoint boxes, at most six; local.
  [[nodiscard]] std::vector<Box> boundary() const;
  /// Neighbours that this rank sends to, MPI_PROC_NULL excluded, itself (periodic) included.
  [[nodiscard]] int neighbours() const;
  /// Bytes that this rank sends in one exchange: all, and those that leave the node.
  [[nodiscard]] std::int64_t bytes() const;
  [[nodiscard]] std::int64_t cross_node_bytes() const;
  /// Messages of one exchange that leave the node.
  [[nodiscard]] int cross_node_messages() const;
  /// One exchange compared bit by bit with a plain blocking one on scratch memory; collective.
  /// @return ghosts of this rank's `fields` that differ
  [[nodiscard]] std::int64_t unlike_blocking(std::span<const FieldView> fields) const;

private:
  friend class solve::PartitionedExchange;  // moves the same messages in its own way
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

}  // namespace plait
