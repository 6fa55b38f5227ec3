// SPDX-License-Identifier: BSD-3-Clause
// The samples of call stacks on the page's timeline.
#pragma once

#include <cstdint>

#include "base/json.hpp"
#include "samples/on_trace.hpp"
#include "trace/trace.hpp"

namespace plait::report {

/// The most samples on the page; of more, every n-th one is kept, and the page says so.
inline constexpr std::uint64_t kMostPageSamples = 100'000;

/// Adds the samples between the begin and the end of the run to the streams of a timeline's ranks
/// that have rows of their own, and
/// streams for threads that have samples, but no events. A sample refers to a node of samples.json.
/// @param timeline  from timeline_to_json of the same trace
void add_samples(const trace::Trace& trace, const samples::TracedSamples& of_run,
                 nlohmann::json& timeline, std::uint64_t most = kMostPageSamples);

}  // namespace plait::report
