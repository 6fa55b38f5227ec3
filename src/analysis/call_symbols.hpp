// SPDX-License-Identifier: BSD-3-Clause
// Turns the calls of one rank into symbols; equal calls from one call site have equal symbols.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/lanes.hpp"

namespace plait::analysis {

struct CallSymbols {
  std::vector<std::uint32_t> call;    ///< index in the lane, for each symbol of the sequence
  std::vector<std::uint32_t> symbol;  ///< by function, site, peer and communicator
  std::vector<std::uint32_t> place;   ///< by function and site; below `places`
  std::uint32_t symbols = 0, places = 0;
  std::vector<std::uint64_t> place_hash;  ///< by place; equal in all runs of a program
};

/// The symbols of a lane's calls, without failed polls and the end of the rank.
CallSymbols symbols_of(const trace::Trace& trace, const Lane& lane);

/// Hash of a call's function and site, independent of the address at which the program was loaded.
std::uint64_t hash_of_place(const trace::Trace& trace, const trace::Shape& shape);

}  // namespace plait::analysis
