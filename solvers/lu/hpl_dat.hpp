// SPDX-License-Identifier: BSD-3-Clause
// Reads HPL.dat, the input of HPL.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace plait::lu {

/// The values of a file that plait-lu uses. Those of other lines are checked and have no effect:
/// output, PFACT, NBMIN, NDIV, RFACT, forms of L1 and U, equilibration, alignment.
struct HplInput {
  std::vector<int> sizes;                  ///< N
  std::vector<int> blocks;                 ///< NB
  bool column_major = false;               ///< PMAP
  std::vector<std::pair<int, int>> grids;  ///< P and Q
  double threshold = 16;
  std::vector<int> broadcasts;  ///< 0 to 5
  std::vector<int> depths;      ///< 0 or 1
  int swap = 2;                 ///< 0: binary exchange, 1: long, 2: mix
  int swap_threshold = 64;
};

/// @throws Error that names the file and the line
HplInput read_hpl_dat(const std::string& path);

}  // namespace plait::lu
