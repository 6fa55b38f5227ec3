// SPDX-License-Identifier: BSD-3-Clause
// The calls of one rank as symbols: equal calls from equal places have equal ones.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/lanes.hpp"

namespace plait::analysis {

struct CallSymbols {
  std::vector<std::uint32_t> call;    ///< of the lane, by symbol of the sequence
  std::vector<std::uint32_t> symbol;  ///< by function, site, peer and communicator
  std::vector<std::uint32_t> place;   ///< by function and site; below `places`
  std::uint32_t symbols = 0, places = 0;
  std::vector<std::uint64_t> place_hash;  ///< by place: the same in every run of a program
};

/// Polls that found nothing and the end of the rank are left out.
CallSymbols symbols_of(const trace::Trace& trace, const Lane& lane);

/// Of a call's function and site: their names and addresses, without where the program was loaded.
std::uint64_t hash_of_place(const trace::Trace& trace, const trace::Shape& shape);

}  // namespace plait::analysis
