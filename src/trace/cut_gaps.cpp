// SPDX-License-Identifier: BSD-3-Clause
// Removes the gaps of a trace from its clock.
#include <algorithm>
#include <iterator>
#include <limits>

#include "trace/trace.hpp"

namespace plait::trace {

namespace {

/// The union of the gaps of all ranks within the time of the run.
std::vector<Cut> cuts_of(const Trace& trace) {
  std::vector<Gap> gaps;
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  for (const Rank& rank : trace.ranks) {
    if (rank.left_out || rank.host.empty()) continue;
    gaps.insert(gaps.end(), rank.gaps.begin(), rank.gaps.end());
    begin = std::min(begin, rank.begin);
    end = std::max(end, rank.end);
  }
  std::ranges::sort(gaps, {}, &Gap::begin);
  std::vector<Cut> cuts;
  for (const Gap& gap : gaps) {
    const std::int64_t from = std::max(begin, gap.begin), until = std::min(end, gap.end);
    if (from >= until) continue;
    if (!cuts.empty() && from <= cuts.back().end) {
      cuts.back().end = std::max(cuts.back().end, until);
    } else {
      cuts.push_back({from, until, 0});
    }
  }
  std::int64_t removed = 0;
  for (Cut& cut : cuts) {
    cut.at = cut.begin - removed;
    removed += cut.end - cut.begin;
  }
  return cuts;
}

/// The last cut that begins at or before a time; null: none.
const Cut* cut_before(const std::vector<Cut>& cuts, std::int64_t ns) {
  const auto behind = std::ranges::upper_bound(cuts, ns, {}, &Cut::begin);
  return behind == cuts.begin() ? nullptr : &*std::prev(behind);
}

/// The time without cuts; one in a cut becomes that of the cut.
std::int64_t time_after(const std::vector<Cut>& cuts, std::int64_t ns) {
  const Cut* cut = cut_before(cuts, ns);
  return cut == nullptr ? ns : cut->at + std::max<std::int64_t>(0, ns - cut->end);
}

/// How much of a span was not cut.
double kept_share(const std::vector<Cut>& cuts, std::int64_t begin, std::int64_t end) {
  if (begin >= end) return 1;
  return static_cast<double>(time_after(cuts, end) - time_after(cuts, begin)) /
         static_cast<double>(end - begin);
}

/// Scales what a thread waited before and in a call, and how long the threads of a region were
/// idle, by the share of the time that was kept.
void scale(std::int64_t& part, double share) {
  part = static_cast<std::int64_t>(static_cast<double>(part) * share);
}

class Cutter {
public:
  Cutter(const Trace& trace, const std::vector<Cut>& cuts) : trace_(trace), cuts_(cuts) {}

  void cut(Rank& rank) const {
    for (Stream& stream : rank.streams) {
      cut_waits(stream);
      for (Event& event : stream.events) cut(event);
    }
    rank.begin = time_after(cuts_, rank.begin);
    rank.end = time_after(cuts_, rank.end);
  }

private:
  void cut(Event& event) const {
    const EventKind kind = trace_.shape(event).kind;
    if (kind == EventKind::parallel || kind == EventKind::work) {
      const double share = kept_share(cuts_, event.begin, event.end);
      event.bytes = static_cast<std::uint64_t>(static_cast<double>(event.bytes) * share);
    }
    event.begin = time_after(cuts_, event.begin);
    event.end = time_after(cuts_, event.end);
  }

  void cut_waits(Stream& stream) const {
    for (CpuWait& wait : stream.cpu_waits) {
      scale(wait.before_ns, kept_share(cuts_, wait.at - wait.before_ns, wait.at));
      scale(wait.inside_ns, kept_share(cuts_, wait.at, wait.at + wait.inside_ns));
      wait.at = time_after(cuts_, wait.at);
    }
  }

  const Trace& trace_;
  const std::vector<Cut>& cuts_;
};

}  // namespace

void cut_gaps(Trace& trace) {
  trace.cuts = cuts_of(trace);
  if (trace.cuts.empty()) return;
  const Cutter cutter(trace, trace.cuts);
  for (Rank& rank : trace.ranks) cutter.cut(rank);
}

std::optional<std::int64_t> without_cuts(const Trace& trace, std::int64_t ns) {
  const Cut* cut = cut_before(trace.cuts, ns);
  if (cut != nullptr && ns < cut->end) return std::nullopt;
  return time_after(trace.cuts, ns);
}

double cut_seconds(const Trace& trace) {
  std::int64_t removed = 0;
  for (const Cut& cut : trace.cuts) removed += cut.end - cut.begin;
  return static_cast<double>(removed) * 1e-9;
}

}  // namespace plait::trace
