// SPDX-License-Identifier: BSD-3-Clause
// What processes and nodes send in one step of a known communication pattern: the volumes of Viet
// et al. 2005, tables 2, 3 and 7.
#pragma once

#include <vector>

#include "model/rational.hpp"

namespace plait::model {

/// One message of a step. A process may send to itself: that is counted, but leaves no node.
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

/// Which node each process runs on, nodes numbered from 0.
using NodeOfProcess = std::vector<int>;

/// What is sent in one step.
struct Volume {
  Rational process;   ///< by the process that sends most, to itself and its node included
  Rational node;      ///< to other nodes, by the node that sends most there
  int channels = 0;   ///< processes of that node that send to other nodes
  Rational lightest;  ///< the same as `node` of the node that sends least there
};

/// The volume of a pattern under a mapping. Of nodes that send the same, the one with most channels
/// counts.
/// @throws Error when the mapping has not one node for each process.
Volume volume(const Pattern& pattern, const NodeOfProcess& mapping);

/// `per_node` consecutive processes on each node; the last node may have fewer.
/// @throws Error when either is < 1.
NodeOfProcess block_mapping(int processes, int per_node);

/// The block q = A p of CG in the NAS parallel benchmarks (Viet et al. 2005, section 6.4), the
/// vector's n doubles as unit: each process exchanges n / columns with log2(columns) others of its
/// row and with its transpose process, which may be itself. Row-major process numbers, columns =
/// rows or 2 rows.
/// @throws Error when `processes` is no power of two.
Pattern cg_pattern(int processes);

/// One iteration of HPL (section 7.4), the block row U as unit: the processes of the diagonal
/// block's row broadcast their U / columns down their columns, those of its column their L / rows
/// along their rows; each destination counts, the diagonal block itself is left out. Row-major.
/// @param step  which iteration: the diagonal block moves along the diagonal
Pattern hpl_pattern(int rows, int columns, int step = 0);

/// The grid of rows <= columns with the least volume of a process: what users of HPL choose.
/// @return the pattern of its first iteration. @throws Error when processes < 1.
Pattern hpl_pattern(int processes);

/// The most of hpl_pattern over all iterations, under a mapping.
/// @throws Error as volume().
Volume hpl_volume(int rows, int columns, const NodeOfProcess& mapping);

}  // namespace plait::model
