// SPDX-License-Identifier: BSD-3-Clause
// Builds traces of programs whose calls last as long as MPI makes them wait.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/causes.hpp"
#include "made_trace.hpp"

namespace plait::analysis::test {

inline std::vector<int> all_ranks(int ranks) {
  std::vector<int> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(rank);
  return all;
}

/// A collective call in which all wait for all and which takes `seconds` after that.
inline void together(trace::MadeTrace& made, const std::vector<int>& ranks, const char* function,
                     std::uint64_t bytes = 0, double seconds = 0, std::uint32_t comm = 0) {
  double last = 0;
  for (const int rank : ranks) last = std::max(last, made.now(rank));
  for (const int rank : ranks) {
    made.collective(rank, function, bytes, last - made.now(rank) + seconds, -1, comm);
  }
}

/// A message sent at `sent`, whose receive starts now and lasts until it arrives.
inline void receive_sent(trace::MadeTrace& made, int rank, int source, std::uint64_t bytes,
                         double sent, double transfer = 0) {
  made.receive(rank, source, bytes, std::max(0.0, sent - made.now(rank)) + transfer);
}

/// Computation in a user region.
inline void compute_in(trace::MadeTrace& made, int rank, const std::string& region,
                       double seconds) {
  const double begin = made.now(rank);
  made.compute(rank, seconds);
  made.region(rank, region, begin);
}

/// The parts of an analysis that causes need.
struct Prepared {
  explicit Prepared(trace::Trace of) : trace(std::move(of)) {}
  trace::Trace trace;
  Lanes lanes = make_lanes(trace);
  Waits waits = find_waits(trace, lanes);
  std::vector<WaitState> states = sum_waits(trace, lanes, waits);
};

/// The name of a call site of a hand-made trace.
inline std::string site_name(const trace::Trace& trace, std::uint32_t site) {
  const bool named = site < trace.sites.size() && !trace.sites[site].frames.empty();
  return named ? trace.sites[site].frames.front().module : "none";
}

inline std::string region_name(const trace::Trace& trace, std::uint32_t region) {
  return region < trace.regions.size() ? trace.regions[region].name : "none";
}

}  // namespace plait::analysis::test
