// SPDX-License-Identifier: BSD-3-Clause
// Finds the threads that call MPI, and the OpenMP regions in which they work.
#include "replay/trace_threads.hpp"

#include <algorithm>
#include <utility>

#include "base/combine.hpp"
#include "trace/outermost.hpp"

namespace plait::replay {
namespace {

using std::uint32_t;
using trace::EventKind;
using trace::kNone;

struct Span {
  std::int64_t begin = 0, end = 0;
};

/// The outermost events of a kind, ascending.
std::vector<Span> outermost(const trace::Trace& trace, const trace::Stream& stream,
                            EventKind kind) {
  std::vector<Span> spans;
  trace::for_outermost(trace, stream, kind, [&](const trace::OpenMpPart& part) {
    spans.push_back({part.begin, part.end});
  });
  std::ranges::reverse(spans);
  return spans;
}

/// A part of a thread in a region.
struct Work {
  uint32_t region = 0;
  Span span;
};

/// The parts of a thread in these regions; parts outside of all of them are left out.
std::vector<Work> work_in(const std::vector<Span>& regions, const std::vector<Span>& parts) {
  std::vector<Work> work;
  uint32_t region = 0;
  for (const Span& part : parts) {
    while (region < regions.size() && regions[region].end < part.end) ++region;
    if (region == regions.size()) break;
    if (regions[region].begin <= part.begin) work.push_back({region, part});
  }
  return work;
}

/// How a main thread goes through a region in which other threads call MPI.
struct Region {
  std::vector<uint32_t> callers;  ///< threads
  std::int64_t others_end = 0;    ///< last end of the parts of all other threads
  std::int64_t last_end = 0;      ///< last end of all parts
};

/// A thread other than the main one.
struct OtherThread {
  uint32_t rank = 0, stream = 0;
};

/// Those that call MPI, of all ranks in order. Collective if there are processes.
/// @param here  the ranks whose events the trace has
std::vector<OtherThread> other_callers(const trace::Trace& trace, const IndexRange& here,
                                       Processes* processes) {
  std::vector<OtherThread> own;
  for (auto rank = static_cast<uint32_t>(here.first); rank < here.last; ++rank) {
    const auto& streams = trace.ranks[rank].streams;
    for (uint32_t stream = 1; stream < streams.size(); ++stream) {
      if (trace::calls_mpi(trace, streams[stream])) own.push_back({rank, stream});
    }
  }
  return join_lists(processes, std::move(own));
}

}  // namespace

TraceThreads::TraceThreads(const trace::Trace& trace, bool others, Processes* processes)
    : here_(trace.ranks_here()) {
  const auto ranks = static_cast<uint32_t>(trace.ranks.size());
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    of_.push_back({rank, 0, {}});
    is_only_main_.push_back(trace.ranks[rank].streams.size() <= 1);
  }
  first_other_.assign(ranks + std::size_t{1}, ranks);
  if (!others) return;
  const std::vector<OtherThread> callers =
      other_callers(trace, here_, trace.is_part ? processes : nullptr);
  auto caller = callers.begin();
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    first_other_[rank] = size();
    for (; caller != callers.end() && caller->rank == rank; ++caller) {
      of_.push_back({rank, caller->stream, {}});
    }
    first_other_[rank + 1] = size();
    is_only_main_[rank] = size() == first_other_[rank];
    if (!is_only_main_[rank] && is_here(rank)) tie(trace, rank);
  }
}

uint32_t TraceThreads::thread(uint32_t rank, uint32_t stream) const {
  if (stream == 0) return rank;
  for (uint32_t at = first_other_[rank]; at < first_other_[rank + 1]; ++at) {
    if (of_[at].stream == stream) return at;
  }
  return kNone;
}

void TraceThreads::tie(const trace::Trace& trace, uint32_t rank) {
  const auto& streams = trace.ranks[rank].streams;
  const std::vector<Span> spans = outermost(trace, streams.front(), EventKind::parallel);
  std::vector<Region> regions(spans.size());
  for (uint32_t stream = 0; stream < streams.size(); ++stream) {
    const uint32_t caller = stream == 0 ? kNone : thread(rank, stream);
    for (const Work& work : work_in(spans, outermost(trace, streams[stream], EventKind::work))) {
      Region& region = regions[work.region];
      region.last_end = std::max(region.last_end, work.span.end);
      if (caller == kNone) {
        region.others_end = std::max(region.others_end, work.span.end);
        continue;
      }
      // A thread has one part in a region.
      if (!region.callers.empty() && region.callers.back() == caller) continue;
      region.callers.push_back(caller);
      const uint32_t tag = 2 * (regions_ + work.region);
      of_[caller].steps.push_back({work.span.begin, work.span.begin, false, true, tag, {rank}});
      of_[caller].steps.push_back({work.span.end, work.span.end, true, false, tag + 1, {rank}});
    }
  }
  for (uint32_t at = 0; at < regions.size(); ++at) {
    const Region& region = regions[at];
    if (region.callers.empty()) continue;
    const uint32_t tag = 2 * (regions_ + at);
    const std::int64_t joins = std::max(region.others_end, spans[at].begin);
    of_[rank].steps.push_back({spans[at].begin, spans[at].begin, true, false, tag, region.callers});
    of_[rank].steps.push_back(
        {joins, std::max(joins, region.last_end), false, false, tag + 1, region.callers});
  }
  regions_ += static_cast<uint32_t>(regions.size());
}

}  // namespace plait::replay
