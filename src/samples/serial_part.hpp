// SPDX-License-Identifier: BSD-3-Clause
// The function whose serial part is longest: what one thread computes outside OpenMP regions.
#pragma once

#include <optional>

#include "samples/call_tree.hpp"
#include "samples/hot_spots.hpp"

namespace plait::samples {

/// A function with most of what main threads compute outside OpenMP regions.
struct SerialPart {
  int function = -1;
  int line = 0;        ///< its line with most of the serial part; 0: unknown
  Share share;         ///< of the main threads' samples in it and what it calls
  double seconds = 0;  ///< of the serial part, all ranks
  int inside = -1;     ///< the function called there with most of the serial part; or `function`
  int inside_line = 0;
};

/// Follows the call tree from the outermost function down, as long as one function called there has
/// at least two thirds of the samples that main threads have in code outside OpenMP regions. The
/// innermost function of this way that also has samples in regions is the one; without such a
/// function, the outermost. Waiting and MPI do not count. Nothing if no thread has a sample in a
/// region, or the callers of many samples are not known.
std::optional<SerialPart> serial_part(const CallTree& tree);

}  // namespace plait::samples
