// SPDX-License-Identifier: BSD-3-Clause
// Walks the critical path backwards from the end of the last rank.
#include "analysis/critical_path.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "analysis/hash.hpp"
#include "analysis/latest_first.hpp"
#include "base/combine.hpp"

namespace plait::analysis {
namespace {

using trace::kNone;

constexpr std::size_t kMostParts = 4096;
constexpr std::size_t kMostOwners = 64;

enum class PartKind : std::uint8_t { computation, mpi, transfer, late_start, cpu_wait };
constexpr std::array<const char*, 5> kNames{"computation", "mpi", "transfer", "late start",
                                            "waiting for a CPU"};

struct Part {
  std::int64_t begin = 0, end = 0;
  std::uint32_t rank = 0;
  std::uint32_t region = kNone, site = kNone;
  PartKind kind = PartKind::computation;

  [[nodiscard]] std::int64_t length() const { return end - begin; }
  [[nodiscard]] bool same_owner(const Part& other) const {
    return rank == other.rank && region == other.region && site == other.site && kind == other.kind;
  }
};

struct OwnerHash {
  std::size_t operator()(const Part& of) const {
    return mix(std::uint64_t{of.region} << 32U | of.site,
               std::uint64_t{of.rank} << 3U | static_cast<std::uint64_t>(of.kind));
  }
};
struct SameOwner {
  bool operator()(const Part& a, const Part& b) const { return a.same_owner(b); }
};

/// A part of the path on one lane: from `begin`, in call `from` (kNone: before all calls), to
/// `end`, where call `to` begins.
struct Stretch {
  std::uint32_t lane, from, to;
  std::int64_t begin, end;
};

/// Adds the parts of a stretch on an own lane, latest first.
class Parts {
public:
  Parts(const trace::Trace& trace, const Lanes& lanes, std::vector<Part>& parts)
      : trace_(trace), lanes_(lanes), parts_(parts) {}

  void add(const Stretch& of) {
    const Lane& lane = lanes_.all[of.lane];
    SegmentsBefore segment(trace_, lane, of.to);
    const auto compute_after = [&](std::int64_t t) {
      for (; segment.more() && segment.begin() >= t; segment.step()) {
        emit({std::max(of.begin, segment.begin()), std::min(of.end, segment.end()), lane.rank,
              segment.region(), segment.site(),
              segment.on_cpu() ? PartKind::computation : PartKind::cpu_wait});
      }
    };
    for (std::uint32_t i = of.to; i > 0 && (of.from == kNone || i > of.from); --i) {
      const Call& call = lane.calls[i - 1];
      compute_after(call.end);
      const PartKind kind = i - 1 == of.from ? PartKind::transfer : PartKind::mpi;
      emit({std::max(of.begin, call.begin), std::min(of.end, call.end), lane.rank, kNone,
            site_of(trace_, lane, i - 1), kind});
    }
    if (of.from == kNone) compute_after(of.begin);
  }

private:
  void emit(const Part& part) {
    if (part.end > part.begin) parts_.push_back(part);
  }

  const trace::Trace& trace_;
  const Lanes& lanes_;
  std::vector<Part>& parts_;
};

/// Finds waits of own lanes.
class OwnWaits {
public:
  explicit OwnWaits(const Waits& waits) : waits_(waits) {}

  /// The last wait of a lane that ends at or before t.
  [[nodiscard]] std::optional<OrderedWait> last(std::uint32_t lane, std::int64_t t) const {
    const std::vector<Wait>& waits = waits_.of[lane];
    const std::uint32_t ended = waits_.ended(lane, t, static_cast<std::uint32_t>(waits.size()));
    if (ended == 0) return {};
    const Wait& wait = waits[ended - 1];
    return OrderedWait{wait.end, lane, ended - 1, wait.call, wait.by_lane, wait.by_call};
  }

private:
  const Waits& waits_;
};

struct IdBlock {
  std::vector<OrderedWait> ids;
};

template <class Archive>
void fields(Archive& archive, IdBlock& of) {
  archive(of.ids);
}

/// Finds waits of the lanes of all processes, on process 0, which goes back in time.
class AllWaits {
public:
  AllWaits(const Lanes& lanes, const Waits& waits, unsigned threads, Processes& processes)
      : order_(
            lanes, waits, [] { return [](const OrderedWait&, const Wait&, IdBlock&) {}; },
            kTogether, threads, &processes) {}

  /// The last wait of a lane that ends at or before t, which must not be later than before.
  [[nodiscard]] std::optional<OrderedWait> last(std::uint32_t lane, std::int64_t t) {
    while (first_ < items_.size() || next_batch()) {
      std::size_t behind = first_;
      for (; behind < items_.size() && items_[behind].id->end == items_[first_].id->end; ++behind) {
        const OrderedWait& wait = *items_[behind].id;
        if (wait.lane == lane && wait.end <= t) return wait;
      }
      first_ = behind;
    }
    return {};
  }

  /// Collective: takes part until the end.
  void finish() {
    while (order_.next(items_)) {
    }
  }

private:
  static constexpr std::size_t kTogether = 1 << 16;

  bool next_batch() {
    first_ = 0;
    do {
      if (!order_.next(items_)) return false;
    } while (items_.empty());
    return true;
  }

  LatestFirst<IdBlock> order_;
  std::vector<LatestFirst<IdBlock>::Item> items_;
  std::size_t first_ = 0;  ///< of those that end at the current time
};

/// The stretches of the path, latest first.
/// @param waits  last(lane, t) finds the last wait of a lane that ends at or before t
template <class AnyWaits>
std::vector<Stretch> walk(const Lanes& lanes, AnyWaits& waits) {
  std::vector<Stretch> stretches;
  std::uint32_t lane = 0;
  for (const std::uint32_t main : lanes.main_of) {
    if (main != kNone && lanes.all[main].end > lanes.all[lane].end) lane = main;
  }
  std::uint32_t call = lanes.all[lane].call_count - 1;
  std::int64_t t = lanes.all[lane].end;
  std::size_t without_step = 0;  // disagreeing clocks must not cause an endless loop
  while (true) {
    const std::optional<OrderedWait> wait = waits.last(lane, t);
    if (!wait || without_step > lanes.all.size()) break;
    stretches.push_back({lane, wait->call, call, wait->end, t});
    without_step = wait->end < t ? 0 : without_step + 1;
    t = wait->end;
    lane = wait->by_lane;
    call = wait->by_call;
  }
  stretches.push_back({lane, kNone, call, lanes.all[lane].begin, t});
  return stretches;
}

/// Collective. Gets the parts of all stretches from the processes of their lanes.
/// @param stretches  on process 0
/// @returns the parts, latest first, on process 0
std::vector<Part> parts_of(const trace::Trace& trace, const Lanes& lanes,
                           const std::vector<Stretch>& stretches, Processes& processes) {
  std::vector<std::vector<Stretch>> of_processes(size_of(&processes));
  for (const Stretch& of : stretches) of_processes[range_of(lanes.shares, of.lane)].push_back(of);
  std::vector<std::vector<Part>> parts(of_processes.size());
  std::vector<std::vector<std::size_t>> ends(of_processes.size());  // of the parts of each stretch
  for (const Stretch& of : joined(swap_lists(processes, of_processes))) {
    Parts(trace, lanes, parts.front()).add(of);
    ends.front().push_back(parts.front().size());
  }
  parts = swap_lists(processes, parts);
  ends = swap_lists(processes, ends);
  std::vector<Part> all;
  std::vector<std::size_t> taken(of_processes.size(), 0), stretch(of_processes.size(), 0);
  for (const Stretch& of : stretches) {
    const std::size_t process = range_of(lanes.shares, of.lane);
    for (const std::size_t end = ends[process][stretch[process]++]; taken[process] < end;) {
      all.push_back(parts[process][taken[process]++]);
    }
  }
  return all;
}

/// Latest part first, on process 0.
std::vector<Part> find_parts(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                             unsigned threads, Processes* processes) {
  std::vector<Stretch> stretches;
  std::vector<Part> parts;
  if (size_of(processes) > 1) {
    AllWaits all(lanes, waits, threads, *processes);
    if (rank_of(processes) == 0) stretches = walk(lanes, all);
    all.finish();
    parts = parts_of(trace, lanes, stretches, *processes);
  } else {
    OwnWaits own(waits);
    stretches = walk(lanes, own);
    Parts of(trace, lanes, parts);
    for (const Stretch& stretch : stretches) of.add(stretch);
  }
  if (stretches.empty()) return parts;
  const Lane& first = lanes.all[stretches.back().lane];
  if (first.begin > lanes.begin) {
    parts.push_back({lanes.begin, first.begin, first.rank, kNone, kNone, PartKind::late_start});
  }
  return parts;
}

/// Merges neighbours with the same owner; if there are still too many, merges the shortest with
/// their predecessors.
std::vector<Part> merged(const std::vector<Part>& parts) {
  std::vector<Part> few;
  for (const Part& part : parts) {
    if (!few.empty() && few.back().same_owner(part) && few.back().end == part.begin) {
      few.back().end = part.end;
    } else {
      few.push_back(part);
    }
  }
  if (few.size() <= kMostParts) return few;
  std::vector<std::int64_t> lengths;
  for (const Part& part : few) lengths.push_back(part.length());
  std::ranges::nth_element(lengths, lengths.begin() + kMostParts, std::ranges::greater{});
  const std::int64_t shortest = lengths[kMostParts];
  std::vector<Part> kept;
  for (const Part& part : few) {
    if (kept.empty() || part.length() > shortest) {
      kept.push_back(part);
    } else {
      kept.back().end = part.end;
    }
  }
  return kept;
}

}  // namespace

CriticalPath find_critical_path(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                                unsigned threads, Processes* processes) {
  CriticalPath path;
  if (lanes.all.empty()) return path;
  std::vector<Part> parts = find_parts(trace, lanes, waits, threads, processes);
  std::ranges::reverse(parts);
  std::unordered_map<Part, std::int64_t, OwnerHash, SameOwner> owners;
  std::int64_t length = 0;
  for (const Part& part : parts) {
    owners[part] += part.length();
    length += part.length();
  }
  path.seconds = to_seconds(length);
  for (const auto& [part, ns] : owners) {
    path.owners.push_back({static_cast<int>(part.rank), part.region, part.site,
                           kNames[static_cast<std::size_t>(part.kind)], to_seconds(ns),
                           length > 0 ? static_cast<double>(ns) / static_cast<double>(length) : 0});
  }
  std::ranges::sort(path.owners, [](const PathOwner& a, const PathOwner& b) {
    return std::tie(b.seconds, a.rank, a.site, a.region) <
           std::tie(a.seconds, b.rank, b.site, b.region);
  });
  if (path.owners.size() > kMostOwners) path.owners.resize(kMostOwners);
  for (const Part& part : merged(parts)) {
    path.parts.push_back({static_cast<int>(part.rank), to_seconds(part.begin - lanes.begin),
                          to_seconds(part.end - lanes.begin),
                          kNames[static_cast<std::size_t>(part.kind)], part.region, part.site});
  }
  return path;
}

}  // namespace plait::analysis
