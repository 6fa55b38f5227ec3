// SPDX-License-Identifier: BSD-3-Clause
// The time and memory of plait-boussinesq on ranks and threads: transforms, columns, transposes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "model/hybrid_inputs.hpp"
#include "model/overlap.hpp"
#include "model/speed_table.hpp"

namespace plait::model {

/// The share of a good DGEMM's speed that transforms and columns reach, where the caches hold them;
/// measured on one core of AVX2 with 64x64x65 and 128x128x129 points.
inline constexpr ReachedShare kTransformsOfGemm{0.22, 0.15, 0.29};
inline constexpr ReachedShare kColumnsOfGemm{0.19, 0.12, 0.26};

/// The share of the memory bandwidth that transposes in a node reach, whose ranks read each other's
/// parts in place; make bench NAME=transpose prints its inverse as transpose_over_bound.
inline constexpr ReachedShare kTransposeOfMemory{0.5, 0.35, 1};

/// Flops per point of a subgrid model, at the speed of the transforms: from Smagorinsky's to the
/// sigma model, from the CPU time of runs with 64x64x65 points.
inline constexpr Interval kSubgridFlops{300, 150, 500};

/// A run of plait-boussinesq.
struct BoussinesqCase {
  std::array<int, 3> points{};
  int ranks = 1;
  int threads = 1;         ///< of each rank
  int ranks_per_node = 1;  ///< consecutive ones
  /// Ranks along y and z in physical space; {0, 0}: slabs of z.
  std::array<int, 2> pencils{0, 0};
  bool subgrid = false;  ///< with a subgrid model
  int chunks = 4;        ///< of transposes that overlap

  [[nodiscard]] int nodes() const { return (ranks + ranks_per_node - 1) / ranks_per_node; }
  [[nodiscard]] int fields_there() const { return 7; }                  ///< modes to points
  [[nodiscard]] int lines_along_y() const { return subgrid ? 11 : 7; }  ///< of them and derivatives
  [[nodiscard]] int lines_along_x() const { return subgrid ? 15 : 7; }  ///< likewise
  [[nodiscard]] int fields_back() const { return subgrid ? 12 : 6; }    ///< points to modes
  [[nodiscard]] int modes_x() const { return (points[0] - 1) / 3 + 1; }
  [[nodiscard]] int modes_y() const { return 2 * ((points[1] - 1) / 3) + 1; }
};

/// The most ranks in slabs: planes, or modes along y.
int most_slabs(const BoussinesqCase& of);
/// Ranks along y and z of pencils that fit, as many along z as possible; {0, 0} if none do.
std::array<int, 2> fitting_pencils(const BoussinesqCase& of);
bool fits(const BoussinesqCase& of);

/// The work of the process that has most, in a step.
struct BoussinesqWork {
  double transform_flops = 0;  ///< of the thread that has most, times threads
  double subgrid_points = 0;   ///< where a subgrid model computes; likewise
  double column_flops = 0;
  double transform_bytes = 0, column_bytes = 0;  ///< through memory
  double copied_bytes = 0;                       ///< read and written to pack and unpack
};
BoussinesqWork boussinesq_work(const BoussinesqCase& of);

/// What a full node sends in the transposes of a step.
struct BoussinesqMessages {
  double network_bytes = 0, inside_bytes = 0;        ///< of all its processes
  double network_messages = 0, inside_messages = 0;  ///< of one process
  double message_bytes = 0;                          ///< of one message, on average
};
BoussinesqMessages boussinesq_messages(const BoussinesqCase& of);

/// Bytes of the process that has most, without its program and MPI.
struct BoussinesqMemory {
  double fields = 0;    ///< modes
  double planes = 0;    ///< modes of planes, and rows of points of pencils
  double messages = 0;  ///< if all messages are packed
  double threads = 0;   ///< work memory
  [[nodiscard]] double total() const { return fields + planes + messages + threads; }
};
BoussinesqMemory boussinesq_memory(const BoussinesqCase& of);

/// The machine of each node.
struct BoussinesqInputs {
  SpeedTable gemm_flops;    ///< per second, of a good DGEMM on so many cores of a node
  SpeedTable memory_bytes;  ///< per second, on so many cores of a node
  /// The cost of messages of this size; empty: unknown.
  std::function<std::optional<Link>(std::uint64_t bytes)> network, inside;
  /// Bytes per second that a node sends to others while all processes exchange messages of this
  /// size, on a number of nodes with a number of processes each; empty: unknown, as over `network`.
  std::function<std::optional<Interval>(int nodes, int per_node, std::uint64_t bytes)> all_to_all{};
};

/// The time of a step and its parts.
struct BoussinesqTime {
  Predicted total;
  double transforms_s = 0, columns_s = 0;
  double inside_s = 0;   ///< copies, and messages inside a node
  double network_s = 0;  ///< messages between nodes
  double overlapped_s =
      0;  ///< the total if all chunks but one travel beside the transforms, if less
};

/// Parts and total are those of whole transposes. The interval is that of speeds, latencies,
/// bandwidths and reached shares; its low end is a whole overlap of chunks if there are several
/// nodes.
/// @throws Error when there are several nodes but the network is unknown
BoussinesqTime predict_boussinesq(const BoussinesqCase& of, const BoussinesqInputs& inputs);

}  // namespace plait::model
