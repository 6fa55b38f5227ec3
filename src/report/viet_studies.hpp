// SPDX-License-Identifier: BSD-3-Clause
// The studies of Viet, Yoshinaga, Abderazek and Sowa 2005: what they vary, and their results.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plait::report {

/// A result of the paper. Ratios are of times; 0: the paper gives no number.
struct PaperResult {
  double pc_s = 0, tc_s = 0;  ///< table 4
  double mpi_over_pc = 0;     ///< time of MPI divided by that of PC
  double mpi_over_tc = 0;
};

/// One point of a study.
struct StudyPoint {
  int nodes = 1;
  int cores = 1;
  double size_share = 1;  ///< of the largest problem that fits the nodes (HPL)
  PaperResult paper = {};
  int size_nodes = 0;  ///< nodes that the size is for, in studies of a fixed size; 0: `nodes`
};

/// Points that differ in one thing.
struct StudyPart {
  std::string title;  ///< "Sun cluster, 2 nodes: cores per node"
  std::vector<StudyPoint> points;
};

/// A figure or table.
struct Study {
  std::string program;  ///< "cg", "hpl"
  std::string name;     ///< "figure 4"
  std::string title;
  std::vector<StudyPart> parts;
  bool differences = false;  ///< it is about differences of times, not ratios
};

/// Figure 4 and table 4 (CG), figures 8 and 9 (HPL).
std::span<const Study> viet_studies();

/// @param name  "figure 4" @throws Error that lists those of the program
const Study& viet_study(std::string_view program, const std::string& name);

}  // namespace plait::report
