// SPDX-License-Identifier: BSD-3-Clause
// The functions in which a program spends most time, and those that differ between ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "samples/call_tree.hpp"

namespace plait::samples {

/// A share with its 95 % interval.
struct Share {
  double value = 0;
  double low = 0;
  double high = 0;
  bool operator==(const Share&) const = default;
};

/// The share `part` of `all`, by Wilson's score interval (E. B. Wilson, J. Am. Stat. Assoc. 22
/// (1927) 209); zero to one without samples.
Share share_of(std::uint64_t part, std::uint64_t all);

/// A function in which samples in code were taken, itself and not what it calls.
struct HotSpot {
  int function = -1;            ///< index into CallTree::functions
  int line = 0;                 ///< its line with most samples; 0: unknown
  Share share;                  ///< of all samples in code
  double seconds = 0;           ///< of all threads
  std::vector<double> ranks_s;  ///< by rank
  int worst_rank = -1;          ///< with most time in it
  double worst_ratio = 0;       ///< its time by the mean over ranks
  int worst_thread = -1;        ///< of that rank
  /// Of the difference in code between the rank with most and the mean, the part in this function;
  /// negative: it evens the ranks out. 0: there is no difference.
  double explains_imbalance = 0;
};

/// The functions with most samples in code, the hottest first.
/// @param ranks  number of ranks
std::vector<HotSpot> hot_spots(const CallTree& tree, int ranks, std::size_t most);

/// The same of the samples in one phase: an index into CallTree::phases.
std::vector<HotSpot> hot_spots_of_phase(const CallTree& tree, int phase, int ranks,
                                        std::size_t most);

/// The function in which a rank spends more time than the mean, including what it calls.
struct Difference {
  int function = -1;
  int line = 0;         ///< its line with most of the difference; 0: unknown
  int rank = -1;        ///< with most time in code
  double rank_s = 0;    ///< in the function and what it calls
  double mean_s = 0;    ///< over ranks
  double explains = 0;  ///< of the difference in code between the rank and the mean
};

/// Follows the call tree from the outermost function to where the time of the rank with most time
/// in code differs from the mean: down as long as one function called there has at least two thirds
/// of the difference. On this way it is the innermost function that differs more than its caller:
/// the rest of the caller's samples is spread over the ranks more evenly than noise explains.
/// Nothing if the samples do not distinguish the rank from the mean: the difference is below twice
/// its standard error.
std::optional<Difference> difference(const CallTree& tree, int ranks);

/// Samples per state of all threads.
std::vector<std::uint64_t> samples_by_state(const CallTree& tree);

}  // namespace plait::samples
