// SPDX-License-Identifier: BSD-3-Clause
// Finds loops in a sequence of symbols: what follows itself becomes one, with its repetitions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plait::analysis {

/// Symbols [begin, end) of the sequence.
struct Repetition {
  std::uint32_t begin = 0, end = 0;
};

/// One symbol of the sequence, or a loop.
struct LoopPart {
  std::uint32_t symbol = 0;  ///< equal loops have equal ones, wherever they begin in their body
  std::uint32_t begin = 0, end = 0;  ///< symbols of the sequence
  std::uint32_t loop = ~0U;          ///< into Folded::loops
};

struct Loop {
  std::vector<LoopPart> body;  ///< of its first repetition; inner loops hold those of all
  std::vector<Repetition> repetitions;
};

struct Folded {
  std::vector<LoopPart> parts;
  std::vector<Loop> loops;
};

/// Folds from left to right: whenever the end of what was folded so far repeats what is before it,
/// both become a loop, or one more repetition of it. Loops nest; how often an inner one repeats
/// makes no difference to the outer one. Linear in the symbols.
/// @param symbols  each below `known`
Folded fold_loops(std::span<const std::uint32_t> symbols, std::uint32_t known);

}  // namespace plait::analysis
