// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: the state between two steps in one file, from which any number of ranks continues
// with the same bits.
//
// The file has a header of 4096 bytes, then all cells as raw doubles, x fastest (cell_file.hpp).
// The header is text, lines `name value`, padded with newlines:
//   plait-jacobi-checkpoint 1      magic and version
//   byte_order little              of the cells
//   cells 64x48x32
//   steps 1200
//   problem poisson
//   boundary static,neumann,periodic
//   source 0                       for problem given
//   undecided 1.5e-07              largest change that is not tested yet; absent if none
//   checksum 0123456789abcdef      sum of the cells' bits modulo 2^64
//   header 0123456789abcdef        FNV-1a of the lines above
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "boundary.hpp"
#include "plait/cartesian_grid.hpp"
#include "plait/field.hpp"
#include "problem.hpp"

namespace plait::jacobi {

/// The contents of a checkpoint besides its cells.
struct CheckpointHeader {
  Int3 cells{};
  int steps = 0;
  ProblemKind problem = ProblemKind::laplace;
  Boundary boundary;
  double source = 0.0;
  std::optional<double> undecided;
  std::uint64_t checksum = 0;

  [[nodiscard]] std::string text() const;
  /// @throws Error that names `path` and what is wrong
  static CheckpointHeader parse(const std::string& text, const std::string& path);
};

/// Writes a checkpoint. The old file stays until the new one is complete. Collective.
/// @param header  everything except the checksum, which is computed here
/// @throws CollectiveError if the file cannot be written
void write_checkpoint(const CartesianGrid& grid, const Field<double>& field,
                      const std::string& path, const CheckpointHeader& header);

/// Reads the header, before the grid is created. Collective over `comm`; rank 0 reads.
/// @throws CollectiveError if the file is missing, damaged or too short
CheckpointHeader read_checkpoint_header(MPI_Comm comm, const std::string& path);

/// Sets all own cells. Collective. @throws CollectiveError if their checksum differs
void read_checkpoint(const CartesianGrid& grid, Field<double>& field, const std::string& path,
                     const CheckpointHeader& header);

}  // namespace plait::jacobi
