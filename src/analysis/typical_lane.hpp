// SPDX-License-Identifier: BSD-3-Clause
// The lane whose loops are the phases of a run, as all processes of an analysis know it.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/call_symbols.hpp"
#include "analysis/lanes.hpp"
#include "base/processes.hpp"

namespace plait::analysis {

/// The main thread's lane with the median number of calls.
class TypicalLane {
public:
  /// Collective.
  /// @param threads  that work at most; 0: as many as there are usable CPUs
  /// @param processes  that all get to know the lane, which is one's own; null: this one alone
  TypicalLane(const trace::Trace& trace, const Lanes& lanes, unsigned threads,
              Processes* processes);
  TypicalLane(const TypicalLane&) = delete;
  TypicalLane& operator=(const TypicalLane&) = delete;

  [[nodiscard]] std::int64_t begin() const { return begin_; }
  /// Empty if no rank calls MPI.
  [[nodiscard]] const std::vector<Call>& calls() const { return *calls_; }
  [[nodiscard]] const CallSymbols& symbols() const { return symbols_; }
  /// The shape of the first call from a place.
  [[nodiscard]] std::uint32_t shape_of(std::uint32_t place) const { return shapes_[place]; }

private:
  void find_symbols(const trace::Trace& trace, const Lane& lane);

  std::int64_t begin_ = 0;
  std::vector<Call> sent_;                   // to other processes, or by another one
  const std::vector<Call>* calls_ = &sent_;  // those of the lane if it is this process's
  CallSymbols symbols_;
  std::vector<std::uint32_t> shapes_;  // by place
};

}  // namespace plait::analysis
