// SPDX-License-Identifier: BSD-3-Clause
// Walks the critical path backwards from the end of the last rank.
#include "analysis/critical_path.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "analysis/hash.hpp"

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

class Walk {
public:
  Walk(const trace::Trace& trace, const Lanes& lanes, const Waits& waits)
      : trace_(trace), lanes_(lanes), waits_(waits) {}

  /// Latest part first.
  std::vector<Part> run() {
    std::uint32_t lane = last_lane();
    auto call = static_cast<std::uint32_t>(lanes_.all[lane].calls.size() - 1);
    std::int64_t t = lanes_.all[lane].end;
    std::size_t without_step = 0;  // disagreeing clocks must not cause an endless loop
    while (true) {
      const std::uint32_t waits =
          waits_.ended(lane, t, static_cast<std::uint32_t>(waits_.of[lane].size()));
      if (waits == 0 || without_step > lanes_.all.size()) break;
      const Wait& wait = waits_.of[lane][waits - 1];
      along(lanes_.all[lane], wait.call, call, wait.end, t);
      without_step = wait.end < t ? 0 : without_step + 1;
      t = wait.end;
      lane = wait.by_lane;
      call = wait.by_call;
    }
    const Lane& first = lanes_.all[lane];
    along(first, kNone, call, first.begin, t);
    if (first.begin > lanes_.begin) {
      emit({lanes_.begin, first.begin, first.rank, kNone, kNone, PartKind::late_start});
    }
    return std::move(parts_);
  }

private:
  [[nodiscard]] std::uint32_t last_lane() const {
    std::uint32_t last = 0;
    for (const std::uint32_t main : lanes_.main_of) {
      if (main != kNone && lanes_.all[main].end > lanes_.all[last].end) last = main;
    }
    return last;
  }

  void emit(const Part& part) {
    if (part.end > part.begin) parts_.push_back(part);
  }

  /// Adds the time of a lane from `begin`, in call `from` (kNone: before all calls), to `end`,
  /// where call `to` begins.
  void along(const Lane& lane, std::uint32_t from, std::uint32_t to, std::int64_t begin,
             std::int64_t end) {
    SegmentsBefore segment(trace_, lane, to);
    const auto compute_after = [&](std::int64_t t) {
      for (; segment.more() && segment.begin() >= t; segment.step()) {
        emit({std::max(begin, segment.begin()), std::min(end, segment.end()), lane.rank,
              segment.region(), segment.site(),
              segment.on_cpu() ? PartKind::computation : PartKind::cpu_wait});
      }
    };
    for (std::uint32_t i = to; i > 0 && (from == kNone || i > from); --i) {
      const Call& call = lane.calls[i - 1];
      compute_after(call.end);
      const PartKind kind = i - 1 == from ? PartKind::transfer : PartKind::mpi;
      emit({std::max(begin, call.begin), std::min(end, call.end), lane.rank, kNone,
            site_of(trace_, lane, i - 1), kind});
    }
    if (from == kNone) compute_after(begin);
  }

  const trace::Trace& trace_;
  const Lanes& lanes_;
  const Waits& waits_;
  std::vector<Part> parts_;
};

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

CriticalPath find_critical_path(const trace::Trace& trace, const Lanes& lanes, const Waits& waits) {
  CriticalPath path;
  if (lanes.all.empty()) return path;
  std::vector<Part> parts = Walk(trace, lanes, waits).run();
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
