// SPDX-License-Identifier: BSD-3-Clause
// The samples of a run on the clock of its trace: by thread, and by phase.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "samples/call_tree.hpp"
#include "trace/trace.hpp"

namespace plait::samples {

/// Samples of one stack at one time.
struct PlacedSample {
  std::int64_t at = 0;  ///< ns on the clock of the trace
  int node = 0;         ///< index into CallTree::nodes
  State state = State::code;
  std::uint32_t samples = 1;
};

/// The samples of a thread.
struct SampledLane {
  std::uint32_t rank = 0;  ///< index into Trace::ranks
  std::uint32_t stream =
      trace::kNone;  ///< of the rank; kNone: the trace has no events of the thread
  int thread = 0;    ///< index into CallTree::threads
  int tid = 0;
  std::vector<PlacedSample> samples;  ///< ascending
};

/// The call tree of a run, and its samples by rank and thread.
struct TracedSamples {
  CallTree tree;
  std::vector<SampledLane> lanes;
};

/// Places samples with times on a trace. Those of ranks without events are left out.
std::vector<SampledLane> place_samples(const CallTree& tree, const trace::Trace& trace);

/// The samples of a run directory that have times; nothing if it has none.
/// @throws Error when its files of samples are damaged.
std::optional<TracedSamples> samples_on_trace(const std::filesystem::path& run_dir,
                                              const trace::Trace& trace);

/// Sets CallTree::phases and phase_counts.
/// @param phases  ascending, disjoint
/// @param begin_ns  the begin of the run, from which they count
void count_phases(TracedSamples& samples, std::vector<SampledPhase> phases, std::int64_t begin_ns);

}  // namespace plait::samples
