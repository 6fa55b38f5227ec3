// SPDX-License-Identifier: BSD-3-Clause
// The data that processes and nodes send in one step of a known communication pattern: the volumes
// of Viet et al. 2005, tables 2, 3 and 7.
#pragma once

#include <vector>

#include "model/rational.hpp"

namespace plait::model {

/// One message of a step. A message of a process to itself is counted, but does not leave the node.
struct PatternMessage {
  int from = 0;
  int to = 0;
  Rational size;  ///< in the pattern's unit
};

/// The messages of one step of a program on a grid of processes.
struct Pattern {
  int rows = 1;
  int columns = 1;
  std::vector<PatternMessage> messages;

  [[nodiscard]] int processes() const { return rows * columns; }
};

/// The node of each process, numbered from 0.
using NodeOfProcess = std::vector<int>;

/// The data sent in one step.
struct Volume {
  Rational process;         ///< by the process that sends most, including to itself and its node
  Rational node;            ///< to other nodes, by the node that sends most there
  int channels = 0;         ///< processes of that node that send to other nodes
  Rational lightest;        ///< to other nodes, by the node that sends least there
  Rational inside;          ///< between processes of a node, by the node where that is most
  int messages = 0;         ///< to other nodes, by the process with most of them
  int inside_messages = 0;  ///< to other processes of its node, by the process with most of them
};

/// The volume of a pattern under a mapping. Among nodes that send the same amount, the one with
/// most channels counts.
/// @throws Error when the mapping does not have one node per process.
Volume volume(const Pattern& pattern, const NodeOfProcess& mapping);

/// `per_node` consecutive processes on each node; the last node may have fewer.
/// @throws Error when either is < 1.
NodeOfProcess block_mapping(int processes, int per_node);

/// The block q = A p of CG in the NAS parallel benchmarks (Viet et al. 2005, section 6.4). The unit
/// is the vector of n doubles. Each process exchanges n / columns with log2(columns) others of its
/// row and with its transpose process, which may be itself. Processes are numbered row by row;
/// columns = rows or 2 rows.
/// @throws Error when `processes` is not a power of two.
Pattern cg_pattern(int processes);

/// One iteration of HPL (section 7.4). The unit is the block row U. The processes in the row of the
/// diagonal block broadcast their U / columns down their columns, those in its column their L /
/// rows along their rows. Each destination counts; the diagonal block itself is left out. Processes
/// are numbered row by row.
/// @param step  the iteration: the diagonal block moves along the diagonal
Pattern hpl_pattern(int rows, int columns, int step = 0);

/// The same on the grid of rows <= columns with the least volume per process, which HPL users
/// choose.
/// @return the pattern of its first iteration
/// @throws Error when processes < 1.
Pattern hpl_pattern(int processes);

/// The largest volume of any iteration of hpl_pattern under a mapping; `lightest` is the smallest.
/// @throws Error as volume().
Volume hpl_volume(int rows, int columns, const NodeOfProcess& mapping);

/// A grid of processes.
struct Grid {
  int rows = 1;
  int columns = 1;
  friend bool operator==(const Grid&, const Grid&) = default;
};

/// The grid of nodes x per_node processes on which the busiest node sends least to other nodes in
/// an iteration of HPL, with `per_node` consecutive processes on each node. Among equals, the one
/// whose process sends least, then the one with fewer rows. Beyond 1024 processes, that of
/// hpl_pattern(processes).
/// @throws Error when either is < 1.
Grid best_hpl_grid(int nodes, int per_node);

/// True if both one node less and one node more move less, with one process per node: 3, 5 and 7
/// nodes in Viet's table 7.
/// @param nodes  at least 1
bool is_bad_for_hpl(int nodes);

}  // namespace plait::model
