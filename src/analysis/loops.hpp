// SPDX-License-Identifier: BSD-3-Clause
// Folds repetitions in a sequence of symbols into loops.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plait::analysis {

/// One repetition: symbols [begin, end) of the sequence.
struct Repetition {
  std::uint32_t begin = 0, end = 0;
};

/// One symbol of the sequence, or a loop.
struct LoopPart {
  std::uint32_t symbol = 0;          ///< equal for loops with rotated bodies
  std::uint32_t begin = 0, end = 0;  ///< symbols of the sequence
  std::uint32_t loop = ~0U;          ///< into Folded::loops
};

struct Loop {
  std::vector<LoopPart> body;  ///< of the first repetition; inner loops have the repetitions of all
  std::vector<Repetition> repetitions;
};

struct Folded {
  std::vector<LoopPart> parts;
  std::vector<Loop> loops;
};

/// Folds from left to right: whenever the end of the folded sequence repeats what precedes it, both
/// become a loop, or another repetition of one. Loops nest; bodies are equal whatever the number of
/// repetitions of inner loops. Linear in the symbols.
/// @param symbols  each less than `known`
Folded fold_loops(std::span<const std::uint32_t> symbols, std::uint32_t known);

}  // namespace plait::analysis
