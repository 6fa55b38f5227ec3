// SPDX-License-Identifier: BSD-3-Clause
// Reads matrices and vectors in the Matrix Market format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text_lines.hpp"

namespace plait::cg {

/// The first lines of a file in coordinate format.
struct MatrixHead {
  int size = 0;                 ///< rows and columns
  std::int64_t entries = 0;     ///< lines with entries
  bool symmetric = false;       ///< the file has the lower triangle
  bool pattern = false;         ///< all entries are 1
  std::int64_t lines = 0;       ///< of the head
  std::int64_t first_byte = 0;  ///< of the entries
  std::int64_t bytes = 0;       ///< of the file
};

struct MatrixEntry {
  int row, column;
  double value;
};

/// The entries in a part of a file.
struct EntryPart {
  std::vector<MatrixEntry> entries;
  std::int64_t lines = 0;
};

/// Reads the head of a square matrix: real, integer or pattern, symmetric or general.
/// @throws Error that names the file and the line: not such a file, not square, too short for its
///         number of entries, or with too few entries to be positive definite
MatrixHead read_matrix_head(const std::string& path);

/// Reads the entries in one of `parts` equal parts of the file; lines are cut at their ends.
/// @throws LineError for a damaged line; its number counts within the part
EntryPart read_entries(const std::string& path, const MatrixHead& head, int part, int parts);

/// @param entries  of all parts
/// @throws Error if they are not as many as the head says
void check_number_of_entries(const std::string& path, const MatrixHead& head, std::int64_t entries);

/// Reads numbers in lines of their own, or a Matrix Market array of one column.
/// @param size  numbers that the file must have
/// @throws Error that names the file and the line
std::vector<double> read_vector(const std::string& path, int size);

}  // namespace plait::cg
